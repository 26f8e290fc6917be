import type { Chunk } from '#contract/agent-event.ts'
import { isRecord } from './frame.ts'

/** The list of what it means to do, whenever it rewrites it. */
export function planIn(tool: string, input: unknown): Chunk[] {
  if (tool !== 'TodoWrite' || !isRecord(input) || !Array.isArray(input['todos'])) return []
  const entries = input['todos']
    .filter(isRecord)
    .map(({ content, status }) => ({ content: String(content), status: String(status) }))
  return [{ type: 'data-plan', id: 'plan', data: { entries } }]
}
