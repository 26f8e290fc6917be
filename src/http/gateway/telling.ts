import { isLive } from '#contract/execution.ts'
import type { StatusChange } from '#contract/execution.ts'
import type { ToldOnSocket } from '#contract/gateway.ts'
import type { StoredEvent } from '#db/events.ts'

/** One thing that a client is told, by its name. */
export type Told = {
  [Name in keyof ToldOnSocket]: { name: Name; body: ToldOnSocket[Name] }
}[keyof ToldOnSocket]

interface Call {
  name: string
  /** Of its approval, once somebody was asked about it. */
  approvalId?: string
  isOver: boolean
}

type Fields = Record<string, unknown>

const readTypes = new Set([
  'text-start',
  'text-delta',
  'text-end',
  'tool-input-start',
  'tool-input-available',
  'tool-input-error',
  'tool-output-available',
  'tool-output-error',
  'tool-output-denied',
  'tool-approval-request',
  'tool-approval-response',
  'data-notice',
  'data-status',
])

/**
 * What clients are told of a session's events. It hangs on the events alone, and is never more than one thing for each: so everybody is told
 * the same, and whoever has seen a seq has seen all that belongs to it.
 */
export class ChatTelling {
  readonly #texts = new Map<string, string>()
  readonly #calls = new Map<string, Call>()
  readonly #waiting = new Map<string, ToldOnSocket['tool:approval_required']>()
  readonly #refusals = new Map<string, string>()
  /** The approval that was shown last. */
  #shown: string | undefined

  /** The question that is to be answered now; the others wait until it is. */
  get due(): Told | undefined {
    const [body] = this.#waiting.values()
    return body && { name: 'tool:approval_required', body }
  }

  take({ type, payload }: Pick<StoredEvent, 'type' | 'payload'>): Told | undefined {
    const fields: Fields = readTypes.has(type) ? (JSON.parse(payload) ?? {}) : {}
    return this.#tell(type, fields) ?? (isWithdrawn(type, fields) ? undefined : this.#showNext())
  }

  #tell(type: string, fields: Fields): Told | undefined {
    if (type.startsWith('text-')) return this.#takeText(type, fields)
    if (type.startsWith('tool-input-')) return this.#takeInput(fields)
    if (type.startsWith('tool-output-')) return this.#takeOutput(type, fields)
    if (type === 'tool-approval-request') this.#takeQuestion(fields)
    if (type === 'tool-approval-response') this.#takeAnswer(fields)
    if (type === 'data-notice') return { name: 'agent:notice', body: { text: String(fields['text']) } }
    return type === 'data-status' ? this.#takeStatus(fields as unknown as StatusChange) : undefined
  }

  #takeText(type: string, { id, delta }: Fields): Told | undefined {
    const key = String(id)
    const text = this.#texts.get(key) ?? ''
    if (type === 'text-start') this.#texts.set(key, '') // one that was cut off is begun again
    if (type === 'text-delta' && typeof delta === 'string' && delta !== '') {
      this.#texts.set(key, text + delta)
      return { name: 'agent:delta', body: { text: delta } }
    }
    if (type !== 'text-end') return undefined
    this.#texts.delete(key)
    return text === '' ? undefined : { name: 'agent:message', body: { text } }
  }

  #takeInput({ toolCallId, toolName }: Fields): undefined {
    const id = String(toolCallId)
    if (typeof toolName === 'string' && !this.#calls.has(id))
      this.#calls.set(id, { name: toolName, isOver: false })
  }

  #takeOutput(type: string, { toolCallId, output, errorText, preliminary }: Fields): Told | undefined {
    const id = String(toolCallId)
    const call = this.#calls.get(id) ?? { name: 'tool', isOver: false }
    if (preliminary === true || call.isOver) return undefined
    this.#calls.set(id, { ...call, isOver: true })
    const { name, approvalId } = call
    const callId = approvalId ?? id
    if (type === 'tool-output-available') return { name: 'tool:output', body: { callId, name, output } }
    const reason = this.#refusals.get(callId)
    const refused = reason === undefined ? `${name} was refused` : `${name} was refused: ${reason}`
    const message = type === 'tool-output-denied' ? refused : String(errorText)
    return { name: 'agent:error', body: { message, callId } }
  }

  #takeQuestion({ approvalId, toolCallId, tool, input, isAnswered, position, total }: Fields): void {
    const callId = String(approvalId)
    const call = this.#calls.get(String(toolCallId))
    // From now on it is called as in the ledger.
    if (call) Object.assign(call, { approvalId: callId, name: String(tool) })
    if (isAnswered === true) return
    this.#waiting.set(callId, {
      name: String(tool),
      args: input ?? {},
      callId,
      queuePosition: typeof position === 'number' ? position : 1,
      totalInQueue: typeof total === 'number' ? total : 1,
    })
  }

  #takeAnswer({ approvalId, reason }: Fields): void {
    this.#waiting.delete(String(approvalId))
    if (typeof reason === 'string' && reason !== '') this.#refusals.set(String(approvalId), reason)
  }

  #takeStatus({ status, error }: StatusChange): Told | undefined {
    if (isLive(status)) return undefined
    for (const known of [this.#texts, this.#calls, this.#waiting, this.#refusals]) known.clear()
    return status === 'failed' || status === 'timed_out'
      ? { name: 'agent:error', body: { message: error ?? 'The agent failed', status } }
      : { name: 'agent:done', body: { status } }
  }

  #showNext(): Told | undefined {
    const { due } = this
    if (due?.name !== 'tool:approval_required' || due.body.callId === this.#shown) return undefined
    this.#shown = due.body.callId
    return due
  }
}

/** Such ones come in rows, when nobody is there any more for whom the next one could be answered. */
const isWithdrawn = (type: string, { status }: Fields): boolean =>
  type === 'tool-approval-response' && status === 'expired'
