import type { SessionAgent } from '#agents/port.ts'
import type { ApprovalAnswer, ApprovalAsked } from '#contract/agent-event.ts'
import type { PermissionPolicy } from '#contract/agent.ts'
import { contentOf } from '#domain/chat-request.ts'
import type { ChatAnswer } from '#domain/chat-request.ts'
import { decide } from '#domain/policy.ts'
import type { Rule } from '#domain/policy.ts'
import { newId } from '#lib/id.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import type { LiveTurn } from './live-turn.ts'

export interface Policy {
  permissions: PermissionPolicy
  rules: readonly Rule[]
}

interface Waiting {
  approvalId: string
  asked: ApprovalAsked
  inputHash: string
}

/** What the agent asks in a turn, and who answers: the policy, or a person. Only what waits here can be answered. */
export class Questions {
  readonly #waiting = new Map<string, Waiting>()
  readonly #policy: Policy
  readonly #turn: LiveTurn
  readonly #agent: SessionAgent
  readonly #onChange: (isAsking: boolean) => void

  constructor(policy: Policy, turn: LiveTurn, agent: SessionAgent, onChange: (isAsking: boolean) => void) {
    this.#policy = policy
    this.#turn = turn
    this.#agent = agent
    this.#onChange = onChange
  }

  ask(asked: ApprovalAsked): void {
    const { permissions, rules } = this.#policy
    const inputHash = hashOfInput(asked)
    const effect = decide({ policy: permissions, rules: [], configured: rules, request: asked })
    if (effect !== 'ask') {
      const decision = effect === 'allow' ? 'granted' : 'refused'
      const reason = `AGENT_PERMISSIONS is ${permissions}`
      void this.#handOver({
        requestId: asked.requestId,
        inputHash,
        decision,
        ...(effect === 'deny' && { reason }),
      })
      return
    }
    const approvalId = newId()
    this.#waiting.set(approvalId, { approvalId, asked, inputHash })
    this.#onChange(true)
    const { tool, title, input, toolCallId, kind, options, questions, schema } = asked
    const descriptor = { kind, options, ...(questions && { questions }), ...(schema && { schema }) }
    this.#turn.ask({ approvalId, toolCallId, tool, title, input: input ?? {}, descriptor })
  }

  /** Takes those answers that are to something that waits, as it was shown. Answers with how many those were. */
  answer(answers: readonly ChatAnswer[]): number {
    const fitting = answers.flatMap((answer) => {
      const waiting = this.#waiting.get(answer.approvalId)
      const wasShown =
        waiting && hashOfInput({ ...waiting.asked, input: answer.input }) === shownHash(waiting)
      return waiting && wasShown ? [{ answer, waiting }] : []
    })
    for (const { answer, waiting } of fitting) {
      const { approved, reason } = answer
      const { requestId, questions } = waiting.asked
      const content = approved ? contentOf(reason, questions) : undefined
      void this.#handOver({
        requestId,
        inputHash: waiting.inputHash,
        decision: approved ? 'granted' : 'refused',
        ...(reason !== undefined && { reason }),
        ...(content && { content }),
      })
      this.#settle(waiting, approved, reason)
    }
    return fitting.length
  }

  /** The agent does not wait for it any more. */
  withdraw(requestId: string, reason: string): void {
    for (const waiting of this.#waiting.values())
      if (waiting.asked.requestId === requestId) this.#settle(waiting, false, reason)
  }

  #settle({ approvalId }: Waiting, approved: boolean, reason: string | undefined): void {
    this.#waiting.delete(approvalId)
    this.#turn.settle(approvalId, approved, reason)
    this.#onChange(this.#waiting.size > 0)
  }

  async #handOver(answer: ApprovalAnswer): Promise<void> {
    const { outcome, reason } = await this.#agent.tell({ type: 'answer', payload: answer })
    const text = `The agent did not take the answer: ${reason ?? 'it does not say why'}`
    if (outcome === 'refused') this.#turn.take({ type: 'data-notice', data: { text } })
  }
}

const shownHash = ({ asked }: Waiting): string => hashOfInput({ ...asked, input: asked.input ?? {} })
