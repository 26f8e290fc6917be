import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import { ANSWERED_CHANNEL, findApproval, useGrant } from '#db/approvals.ts'
import type { ApprovalRow } from '#db/approvals.ts'
import { isDatabaseAway } from '#db/failure.ts'
import type { Listener } from '#db/listen.ts'
import type { DatabasePool } from '#db/pool.ts'
import { owner } from '#domain/access.ts'
import { configuredRules } from '#domain/policy.ts'
import { Problem } from '#domain/problem.ts'
import { askToolApproval, isLetPass, withdrawToolApproval } from '#flows/ask-tool-approval.ts'
import type { AgentQuestion } from '#flows/ask-tool-approval.ts'
import { CallFailed } from '#tools/port.ts'
import type { AskedBy, Caller, Consent, InputRequest, InputResponse, RegistryHands } from '#tools/port.ts'
import { openBells } from './bells.ts'
import { approveInCode, refused, whyNot } from './approve-in-code.ts'
import { callQuestion, formQuestion } from './questions.ts'

/** What the registry, or an upstream during a call, asks people on behalf of an agent. */
export interface ToolApprovals {
  approve: RegistryHands['approve']
  /** For those whose client cannot be asked. Rejects with CallFailed when nobody is there to answer. */
  askInstead(
    caller: Caller,
    asked: { by: AskedBy; requests: Record<string, InputRequest> },
    signal: AbortSignal,
  ): Promise<Record<string, InputResponse>>
  isWaitedFor(approvalId: string): boolean
  /** What waits stays in the ledger: the agent calls again, and goes on waiting. */
  close(): void
}

interface Needs {
  pool: DatabasePool
  machineId: string
  listener: Listener
  config: () => Config
  log: Logger
}

const awayMs = 200
/** A bell may be missed while the connection that hears it is away. Very many that wait look less often. */
const lookMs = 5_000
const lookMsEach = 5

export function openToolApprovals({ pool, machineId, listener, config, log }: Needs): ToolApprovals {
  const bells = openBells()
  const waiting = new Map<string, number>()
  const endings = [
    listener.on(ANSWERED_CHANNEL, (id) => bells.ring(id)),
    listener.onReconnect(() => bells.ringAll()),
  ]
  let isClosed = false

  const rules = () => ({
    machineId,
    approvalExpiresMs: config().worker.approvalExpiresMs,
    configured: configuredRules(config().policies),
  })

  /** The answer, used by nobody else; whoever is too late for it asks again. */
  async function answered(
    question: AgentQuestion,
    signal: AbortSignal,
    onAsked?: () => void,
  ): Promise<ApprovalRow> {
    for (;;) {
      signal.throwIfAborted()
      const asking = () => pool.transaction((tx) => askToolApproval(tx, question, rules()))
      // That of a model's call is the same however often it is asked; of others nobody knows what became of the first.
      const { id } = await (question.inChat ? whenThere(asking, signal) : asking())
      onAsked?.()
      const approval = await settled(id, signal)
      // That of a model's call is its own: whether it was made is in its journal.
      if (approval.status !== 'granted' || question.inChat) return approval
      if (await useGrant(pool.db, id)) return approval
    }
  }

  async function settled(id: string, signal: AbortSignal): Promise<ApprovalRow> {
    waiting.set(id, (waiting.get(id) ?? 0) + 1)
    try {
      for (;;) {
        const rung = bells.rung(id, Math.max(lookMs, waiting.size * lookMsEach), signal)
        const approval = await found(id)
        if (approval === undefined) throw refused('The session that asks for this was deleted')
        if (approval && approval.status !== 'waiting') return approval
        await rung
        signal.throwIfAborted()
      }
    } finally {
      bells.ring(id) // nobody is left on the one that we hung up
      const others = (waiting.get(id) ?? 1) - 1
      if (others > 0) waiting.set(id, others)
      else waiting.delete(id)
      if (others === 0 && signal.aborted && !isClosed) void withdraw(id)
    }
  }

  /** While the database is away it is waited for, as long as somebody waits for the answer. */
  async function whenThere<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!isDatabaseAway(error) || isClosed) throw error
        await wait(awayMs, undefined, { signal })
      }
    }
  }

  /** Null while the database is away: it is waited for. */
  async function found(id: string): Promise<ApprovalRow | undefined | null> {
    return findApproval(pool.db, id).catch((error: unknown) => {
      if (!isDatabaseAway(error)) throw error
      return null
    })
  }

  async function withdraw(id: string): Promise<void> {
    await pool
      .transaction((tx) => withdrawToolApproval(tx, id, 'The agent does not wait for an answer any more'))
      .catch((error: unknown) => log.warn({ err: error, approval: id }, 'a question was not withdrawn'))
  }

  async function ask(
    question: AgentQuestion,
    signal: AbortSignal,
    onAsked?: () => void,
  ): Promise<ApprovalRow> {
    try {
      return await answered(question, signal, onAsked)
    } catch (error) {
      if (signal.aborted) throw new CallFailed('cancelled', 'Whoever called did not wait for the answer')
      if (error instanceof Problem) throw refused(error.message)
      throw error
    }
  }

  return {
    async approve(question, signal) {
      const { caller } = question
      if (caller.inCode) return approveInCode({ pool, rules }, caller, caller.inCode, question, signal)
      // A person who calls by themselves is asked by nobody else.
      if (caller.kind === 'person') return undefined
      const asked = callQuestion(caller, question)
      if (await whenThere(() => isLetPass(pool.db, asked, rules()), signal)) return undefined
      const approval = await ask(asked, signal, caller.inChat?.onAsked)
      if (approval.status === 'granted') return consentOf(approval)
      throw refused(whyNot(approval), { approvalId: approval.id })
    },
    async askInstead(caller, { by, requests }, signal) {
      if (caller.kind !== 'agent') throw refused('Nobody is there to answer what the tool asks')
      const questions = Object.entries(requests).map(([key, request]) => ({
        key,
        question: formQuestion(caller, by, request),
      }))
      const answers: Record<string, InputResponse> = {}
      for (const { key, question } of questions) {
        if (!question) throw refused('The tool asks for something that only a program can answer')
        answers[key] = responseOf(await ask(question, signal))
      }
      return answers
    },
    isWaitedFor: (id) => waiting.has(id),
    close() {
      isClosed = true
      for (const end of endings) end()
    },
  }
}

function responseOf({ status, content, schema }: ApprovalRow): InputResponse {
  if (status === 'granted') return { action: 'accept', ...(schema !== null && { content: content ?? {} }) }
  return { action: status === 'refused' ? 'decline' : 'cancel' }
}

const consentOf = ({ answeredBy }: ApprovalRow): Consent | undefined =>
  answeredBy === null ? undefined : { by: answeredBy, isOwner: answeredBy === owner.id }
