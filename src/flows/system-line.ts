import type { NewEvent } from '#contract/event.ts'

/** A line of ours in the log. */
export function systemLine(executionId: string, text: string): NewEvent {
  const chunk = Buffer.from(`${text}\n`).toString('base64')
  return { type: 'data-terminal', payload: { stream: 'system', chunk }, executionId }
}
