import type { ChatHistory } from '#chat/port.ts'
import type { Chunk, PromptFile } from '#contract/agent-event.ts'

/** An event of a session, as far as a conversation is told by it. */
export interface SaidEvent {
  type: string
  payload: unknown
}

/** Puts what was said together again, in the order of the log. */
export function takeEvent(history: ChatHistory, { type, payload }: SaidEvent): void {
  const fields = fieldsOf(payload)
  if (type === 'data-message') {
    const text = typeof fields['text'] === 'string' ? fields['text'] : ''
    const files = (fields['files'] ?? []) as readonly PromptFile[]
    if (typeof fields['commandId'] === 'string') history.takeWord(fields['commandId'], text, files)
    else history.takeMessage(text, files)
  } else if (type === 'data-delivery') {
    if (fields['command'] === 'message')
      history.takeDelivery(String(fields['commandId']), fields['outcome'] === 'delivered')
  } else history.take(chunkOf(type, payload, fields))
}

/** As it was before it was stored (flows/copy-spool.ts). */
const chunkOf = (type: string, payload: unknown, fields: Record<string, unknown>): Chunk =>
  type.startsWith('data-') ? { type, data: payload } : { ...fields, type }

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
