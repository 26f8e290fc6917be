import type { ApprovalAnswer } from '#contract/agent-event.ts'
import type { CommandOutcome } from '#contract/keeper.ts'
import type { AgentEvent } from '../port.ts'
import { notice } from './decode.ts'
import type { ControlRequest, ToolAsked } from './frame.ts'
import { askedOf, responseTo } from './permission.ts'
import type { Asked } from './permission.ts'

/** What Claude Code asks us, and nobody has answered yet. */
export class Questions {
  readonly #send: (frame: unknown) => void
  /** With what a tool was called, while it is open. */
  readonly #inputOf: (toolCallId: string) => unknown
  readonly #asked = new Map<string, Asked>()

  constructor(send: (frame: unknown) => void, inputOf: (toolCallId: string) => unknown) {
    this.#send = send
    this.#inputOf = inputOf
  }

  ask({ request_id: id, request }: ControlRequest): AgentEvent[] {
    if (request.subtype !== 'can_use_tool') {
      this.#respond(id, { subtype: 'error', error: `${request.subtype} is not supported here` })
      return [notice(`Claude Code asked for something that is not supported here: ${request.subtype}`)]
    }
    const tool = request as ToolAsked
    const asked = askedOf(id, tool, this.#inputOf(tool.tool_use_id ?? ''))
    this.#asked.set(id, asked)
    return [{ type: 'approval', approval: asked.approval }]
  }

  /**
   * Once for each, and only to what was shown. Whoever gave an answer that is none will give no second one: to Claude it is a
   * no, and `events` say so.
   */
  answer(answer: ApprovalAnswer): CommandOutcome & { events?: AgentEvent[] } {
    const { requestId } = answer
    const asked = this.#asked.get(requestId)
    if (!asked) return refused('This is not asked, or not any more.')
    this.#asked.delete(requestId)
    const given = responseTo(asked, answer)
    if ('response' in given) {
      this.#respond(requestId, { subtype: 'success', response: given.response })
      return { outcome: 'delivered' }
    }
    const reason = `The answer was not taken: ${given.refused}`
    this.#respond(requestId, { subtype: 'success', response: { behavior: 'deny', message: reason } })
    return { ...refused(given.refused), events: [{ type: 'withdrawn', requestId, reason }] }
  }

  /** Claude does not wait for it any more. */
  withdraw(requestId: string, reason: string): AgentEvent[] {
    return this.#asked.delete(requestId) ? [{ type: 'withdrawn', requestId, reason }] : []
  }

  /** Nobody will answer. */
  closeAll(reason: string): AgentEvent[] {
    return [...this.#asked.keys()].flatMap((id) => {
      this.#respond(id, { subtype: 'error', error: 'The turn is over' })
      return this.withdraw(id, reason)
    })
  }

  #respond(requestId: string, response: Record<string, unknown>): void {
    this.#send({ type: 'control_response', response: { ...response, request_id: requestId } })
  }
}

const refused = (reason: string): CommandOutcome => ({ outcome: 'refused', reason })
