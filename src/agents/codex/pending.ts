import type { ApprovalAnswer } from '#contract/agent-event.ts'
import type { CommandOutcome } from '#contract/keeper.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import type { AgentEvent } from '../port.ts'
import type { Asked } from './approvals.ts'
import type { Fields } from './fields.ts'
import type { RequestId } from './rpc.ts'

interface Waiting extends Asked {
  id: RequestId
  turnId: string | undefined
}

type Reply = (id: RequestId, result: Fields) => void

/** The questions to which Codex waits for an answer. */
export class Pending {
  readonly #waiting = new Map<string, Waiting>()
  readonly #reply: Reply

  constructor(reply: Reply) {
    this.#reply = reply
  }

  ask(id: RequestId, turnId: string | undefined, asked: Asked): AgentEvent {
    const requestId = String(id)
    this.#waiting.set(requestId, { ...asked, id, turnId })
    return { type: 'approval', approval: { requestId, ...asked.approval } }
  }

  /**
   * An answer is taken once, to what was shown, and in a way that was offered. Whoever gave any other will give no second one:
   * then it is a no, and `events` say so.
   */
  answer(given: ApprovalAnswer): CommandOutcome & { events?: AgentEvent[] } {
    const waiting = this.#waiting.get(given.requestId)
    if (!waiting) return refused('Codex does not wait for this answer any more.')
    this.#waiting.delete(given.requestId)
    const outcome = this.#take(waiting, given)
    if (outcome.outcome === 'delivered') return outcome
    this.#reply(waiting.id, waiting.replies['decline']!({}))
    return { ...outcome, events: [withdrawn(given.requestId, `The answer was not taken: ${outcome.reason}`)] }
  }

  #take({ id, approval, replies }: Waiting, given: ApprovalAnswer): CommandOutcome {
    if (given.inputHash !== hashOfInput(approval))
      return refused('This is the answer to something else: what Codex asks now is not what was shown.')
    const means = given.decision === 'granted' ? 'allow' : 'reject'
    const option = approval.options.find((one) =>
      given.optionId === undefined
        ? one.kind === `${means}_once`
        : one.id === given.optionId && one.kind.startsWith(means),
    )
    const reply = option && replies[option.id]
    if (!reply) return refused(`Codex does not offer ${given.optionId ?? given.decision} here.`)
    this.#reply(id, reply(given.content ? { content: given.content } : {}))
    return { outcome: 'delivered' }
  }

  /** Codex says that it is settled; by somebody else, if we still wait. */
  resolve(id: unknown): AgentEvent[] {
    return this.#waiting.delete(String(id)) ? [withdrawn(String(id), 'Codex does not ask any more.')] : []
  }

  /** With a turn end its questions; those of others are refused, since nobody would hear of them. */
  close(turnId: string | undefined): AgentEvent[] {
    const open = [...this.#waiting]
    this.#waiting.clear()
    for (const [, { id, turnId: asker, replies }] of open)
      if (asker !== turnId) this.#reply(id, replies['decline']!({}))
    return open.map(([requestId]) => withdrawn(requestId, 'The turn is over.'))
  }
}

const withdrawn = (requestId: string, reason: string): AgentEvent => ({
  type: 'withdrawn',
  requestId,
  reason,
})

const refused = (reason: string): CommandOutcome => ({ outcome: 'refused', reason })
