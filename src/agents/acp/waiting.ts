import type { ApprovalAnswer } from '#contract/agent-event.ts'
import type { CommandOutcome } from '#contract/keeper.ts'
import type { AgentEvent } from '../port.ts'
import { whyNoAnswer } from './approvals.ts'
import type { Asked } from './approvals.ts'
import { requestCancelled } from './rpc-error.ts'
import type { RequestId, Wire } from './wire.ts'

/** What the agent has asked and nobody has answered yet. */
export class Waiting {
  readonly #wire: Wire
  readonly #asked = new Map<string, Asked>()
  #count = 0

  constructor(wire: Wire) {
    this.#wire = wire
  }

  /** The agent's own ids begin anew with every process, and may be used twice. */
  nextId(): string {
    this.#count += 1
    return `acp-${this.#count}`
  }

  add(asked: Asked): AgentEvent[] {
    this.#asked.set(asked.approval.requestId, asked)
    return [{ type: 'approval', approval: asked.approval }]
  }

  /**
   * Once for each request. Whoever gave an answer that is none will give no second one: to the agent it is a no, and `events`
   * say so. `refusedTool` is the call that will not be made.
   */
  answer(given: ApprovalAnswer): CommandOutcome & { refusedTool?: string; events?: AgentEvent[] } {
    const asked = this.#asked.get(given.requestId)
    if (!asked) return { outcome: 'refused', reason: 'The agent does not wait for this answer.' }
    this.#asked.delete(given.requestId)
    const reason = whyNoAnswer(asked, given)
    const isGranted = reason === undefined && given.decision === 'granted'
    const told = isGranted ? asked.granted(given) : asked.refused(reason === undefined ? given : {})
    this.#wire.answer(asked.rpcId, told)
    const { kind, toolCallId } = asked.approval
    const isRefusedTool = !isGranted && kind !== 'question' && toolCallId !== null
    const refusedTool = isRefusedTool && { refusedTool: toolCallId }
    if (reason === undefined) return { outcome: 'delivered', ...refusedTool }
    const events = this.#forget(asked, `The answer was not taken: ${reason}`)
    return { outcome: 'refused', reason, ...refusedTool, events }
  }

  /** The agent does not want to know any more. */
  withdraw(rpcId: RequestId): AgentEvent[] {
    const asked = [...this.#asked.values()].find((one) => one.rpcId === rpcId)
    if (!asked) return []
    this.#wire.refuse(rpcId, requestCancelled, 'Withdrawn')
    return this.#forget(asked, 'The agent withdrew it.')
  }

  /** Nobody will answer. */
  cancelAll(reason: string): AgentEvent[] {
    return [...this.#asked.values()].flatMap((asked) => {
      this.#wire.answer(asked.rpcId, asked.cancelled)
      return this.#forget(asked, reason)
    })
  }

  #forget({ approval: { requestId } }: Asked, reason: string): AgentEvent[] {
    this.#asked.delete(requestId)
    return [{ type: 'withdrawn', requestId, reason }]
  }
}
