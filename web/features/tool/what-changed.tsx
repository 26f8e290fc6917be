import { useQuery } from '@tanstack/react-query'
import type { Tool } from '../../../src/contract/tool.ts'
import { toolStrings as words } from '../../strings/tool.ts'
import { visibleText } from '../approval/visible-text.ts'
import { toolApi } from './tool-api.ts'
import { definitionLines } from './definition-lines.ts'

/** What a tool said of itself and does not say any more, and what it says now. */
export function WhatChanged({ tool }: { tool: Tool }) {
  const { data } = useQuery({
    queryKey: ['accepted tool', tool.name],
    queryFn: ({ signal }) => toolApi.acceptedTool(tool.name, signal),
  })
  if (!data) return null
  const before = definitionLines(data.definition)
  const now = definitionLines(tool)
  return (
    <div className="grid gap-2 text-small sm:grid-cols-2">
      <Lines title={words.before} lines={before.filter((line) => !now.includes(line))} />
      <Lines title={words.now} lines={now.filter((line) => !before.includes(line))} />
    </div>
  )
}

const Lines = ({ title, lines }: { title: string; lines: string[] }) => (
  <div className="min-w-0">
    <p className="text-mute">{title}</p>
    <pre
      dir="auto"
      className="mt-1 max-h-60 overflow-auto rounded-control border border-line p-2 font-mono text-tiny wrap-anywhere whitespace-pre-wrap"
    >
      {visibleText(lines.join('\n')) || '–'}
    </pre>
  </div>
)
