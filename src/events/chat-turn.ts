import type { Chunk } from '#contract/agent-event.ts'
import { isLive } from '#contract/execution.ts'
import type { StatusChange } from '#contract/execution.ts'
import type { StoredEvent } from '#db/events.ts'
import { UiTurn } from '#domain/ui-turn.ts'

/** One execution as a turn of a chat, event by event. */
export class ChatTurn {
  readonly ui = new UiTurn()
  /** The last chunk, once the execution has ended. */
  last: Chunk | undefined

  take({ type, payload: text }: Pick<StoredEvent, 'type' | 'payload'>): Chunk[] {
    const payload = (JSON.parse(text) ?? {}) as Record<string, unknown>
    // What the turn was begun with is a message of its own.
    if (type === 'data-message' && payload['commandId'] === undefined) return []
    if (type === 'data-session') return this.#takeFacts(payload)
    if (type === 'data-status') return this.#takeStatus(payload as unknown as StatusChange)
    if (type === 'tool-approval-request') return this.#takeQuestion(payload)
    if (type === 'tool-approval-response')
      return this.ui.answer(
        String(payload['approvalId']),
        payload['approved'] === true,
        typeof payload['reason'] === 'string' ? payload['reason'] : undefined,
      )
    return this.ui.take(type.startsWith('data-') ? { type, data: payload } : { type, ...payload })
  }

  #takeFacts(facts: Record<string, unknown>): Chunk[] {
    const told = this.ui.take({ type: 'data-session', data: facts })
    const { note } = facts
    return note === undefined
      ? told
      : [...told, ...this.ui.take({ type: 'data-notice', data: { text: note } })]
  }

  #takeQuestion({ approvalId, toolCallId, tool, title, input, ...more }: Record<string, unknown>): Chunk[] {
    const { kind, options, questions, schema, expiresAt } = more
    return this.ui.ask({
      approvalId: String(approvalId),
      toolCallId: typeof toolCallId === 'string' ? toolCallId : null,
      tool: String(tool),
      title: String(title),
      input: input ?? {},
      descriptor: { kind, options, questions, schema, expiresAt },
    })
  }

  #takeStatus(change: StatusChange): Chunk[] {
    const { status, error } = change
    const told = this.ui.take({ type: 'data-status', data: change })
    if (isLive(status)) return told
    const hasFailed = status === 'failed' || status === 'timed_out'
    const errorText = error ?? this.ui.error ?? 'The agent failed'
    this.last = hasFailed
      ? { type: 'error', errorText }
      : { type: 'finish', finishReason: status === 'cancelled' ? 'interrupted' : 'stop' }
    return [...told, ...this.ui.end(hasFailed ? errorText : 'The turn is over')]
  }
}
