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

  /** Once for each request. `refusedTool` is the call that will not be made. */
  answer(given: ApprovalAnswer): CommandOutcome & { refusedTool?: string } {
    const asked = this.#asked.get(given.requestId)
    if (!asked) return { outcome: 'refused', reason: 'The agent does not wait for this answer.' }
    const reason = whyNoAnswer(asked, given)
    if (reason !== undefined) return { outcome: 'refused', reason }
    this.#asked.delete(given.requestId)
    const isGranted = given.decision === 'granted'
    this.#wire.answer(asked.rpcId, isGranted ? asked.granted(given) : asked.refused(given))
    const { kind, toolCallId } = asked.approval
    const isRefusedTool = !isGranted && kind !== 'question' && toolCallId !== null
    return { outcome: 'delivered', ...(isRefusedTool && { refusedTool: toolCallId }) }
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
