import type { Asked } from './approval-card.tsx'
import { visibleText } from './visible-text.ts'

export interface SourceThatAsks {
  name: string
  /** The tool that it runs meanwhile. */
  doing: string
  /** Its own words, in full. */
  message: string
}

/** A source of tools that asks something in the middle of a call: the agent did not write what it says. */
export function sourceThatAsks({ kind, tool, input }: Asked): SourceThatAsks | undefined {
  if (kind !== 'question' || typeof input !== 'object' || input === null) return undefined
  const { source, tool: doing, message } = { ...input } as Record<string, unknown>
  if (typeof source !== 'string' || doing !== tool) return undefined
  if (!tool.startsWith(`${source}.`) && !tool.startsWith(`${source} `)) return undefined
  return {
    name: visibleText(source),
    doing: visibleText(tool),
    message: typeof message === 'string' ? visibleText(message) : '',
  }
}
