import type { Chunk } from '#contract/agent-event.ts'
import { isRecord } from './frame.ts'
import type { Block, MessageFrame } from './frame.ts'

/** What the model was given as the result, as text; a picture is only named. */
export function outputOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content)
  return content.filter(isRecord).map(textOfBlock).join('\n')
}

function textOfBlock(block: Record<string, unknown>): string {
  if (typeof block['text'] === 'string') return block['text']
  const source = isRecord(block['source']) ? block['source'] : {}
  return `[${String(source['media_type'] ?? block['type'])}]`
}

/** It was not let run, by a person or by a rule. What was cut off by an interrupt was not denied. */
export function isDenied(frame: MessageFrame, toolCallId: string): boolean {
  return (frame.tool_result_meta ?? []).some(
    ({ id, permission_decision }) => id === toolCallId && permission_decision?.decision === 'reject',
  )
}

interface Hunk {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: string[]
}

/** What the tool changed in files, as unified diffs. */
export function diffsOf(frame: MessageFrame, { tool_use_id: toolCallId }: Block): Chunk[] {
  const result = frame.tool_use_result
  if (!isRecord(result)) return []
  const shell = isRecord(result['bashEditDiff']) ? result['bashEditDiff']['files'] : undefined
  const files = Array.isArray(shell)
    ? shell.filter(isRecord)
    : [{ ...result, hunks: result['structuredPatch'] }]
  return files.flatMap((file) => {
    const path = file['filePath']
    if (typeof path !== 'string' || !Array.isArray(file['hunks'])) return []
    const isNew = result['type'] === 'create' || file['created'] === true
    const hunks = file['hunks'].filter(isHunk)
    const shown = hunks.length === 0 && isNew ? hunkOfNewFile(result['content']) : hunks
    if (shown.length === 0) return []
    return [
      {
        type: 'data-diff',
        data: { path, kind: isNew ? 'add' : 'update', diff: unified(path, shown, isNew), toolCallId },
      },
    ]
  })
}

function unified(path: string, hunks: Hunk[], isNew: boolean): string {
  const body = hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ])
  return [`--- ${isNew ? '/dev/null' : path}`, `+++ ${path}`, ...body, ''].join('\n')
}

/** For a file that it wrote anew Claude tells only what is in it. */
function hunkOfNewFile(content: unknown): Hunk[] {
  if (typeof content !== 'string' || content === '') return []
  const lines = content.replace(/\n$/, '').split('\n')
  return [
    { oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length, lines: lines.map((line) => `+${line}`) },
  ]
}

const isHunk = (value: unknown): value is Hunk => isRecord(value) && Array.isArray(value['lines'])
