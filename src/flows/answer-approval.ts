import type { Principal } from '#contract/access.ts'
import type { AnswerApproval, Approval } from '#contract/approval.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { isLive } from '#contract/execution.ts'
import { findApproval, isInSession, readApproval, settleApproval } from '#db/approvals.ts'
import type { ApprovalRow } from '#db/approvals.ts'
import { findCodeRun } from '#db/code-runs.ts'
import { appendEvents, lockStream } from '#db/events.ts'
import { lockExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { HandOver } from '#db/hand-over.ts'
import { putRule } from '#db/policy-rules.ts'
import type { Database, Tx } from '#db/pool.ts'
import { checkPerson } from '#domain/access.ts'
import { checkAnswer, checkWaiting } from '#domain/approval.ts'
import { literally } from '#lib/glob.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { inertLine } from '#lib/inert-text.ts'
import { tellAgent, tellAnswered } from './ask-approval.ts'
import { noteRule } from './create-rule.ts'
import { dropQueued } from './drop-queued.ts'
import { maySee } from './find-execution.ts'
import { settleOwnCode } from './settle-own-code.ts'

/** Answers a question, once: whoever comes second is told how it was answered. */
export async function answerApproval(
  tx: Tx,
  by: Principal,
  handOver: Pick<HandOver, 'send'>,
  id: string,
  given: AnswerApproval,
): Promise<Approval> {
  checkPerson(by)
  const asked = await theVisibleRow(tx, by, id)
  if (!isInSession(asked)) return answerOwnCode(tx, by, id, given)
  const { sessionId, executionId } = asked
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, sessionId)
  const row = await lockExecution(tx, executionId)
  const approval = await theVisibleRow(tx, by, id)
  checkWaiting(approval, await nameOfAnswerer(tx, approval))
  checkAnswer(by, approval, given)
  if (!isLive(row.status))
    throw new Problem('execution_ended', 'The execution is over already', { status: row.status })
  const { decision, reason, content, optionId } = given
  const settled = await settleApproval(tx, id, { status: decision, answeredBy: by.id, reason, content })
  if (!settled) throw new Error(`Approval ${id} changed although its session was locked`)
  if (given.remember) await remember(tx, by, row, settled)
  await appendEvents(tx, sessionId, await tellAnswered(tx, row, settled))
  if (settled.kind === 'danger') await letBegin(tx, by, handOver, row, settled)
  else await tellAgent(tx, settled, optionId)
  return theApproval(tx, by, id)
}

/** What a person's own code asks is answered by whoever runs it, or by the owner. */
async function answerOwnCode(tx: Tx, by: Principal, id: string, given: AnswerApproval): Promise<Approval> {
  await lockStream(tx, BOARD_STREAM)
  const approval = await theVisibleRow(tx, by, id)
  checkWaiting(approval, await nameOfAnswerer(tx, approval))
  if (given.remember)
    throw bodyMisfit(
      'remember',
      'this is asked by code that a person runs, and there is no agent whom a rule would be for: answer it once',
    )
  checkAnswer(by, approval, given)
  const { decision, reason, content } = given
  const settled = await settleOwnCode(tx, id, { status: decision, answeredBy: by.id, reason, content })
  if (!settled) throw new Error(`Approval ${id} changed although the board was locked`)
  return theApproval(tx, by, id)
}

/** An approval of a session or of code that is theirs. Any other does not exist for them. */
export async function theApproval(db: Database | Tx, by: Principal, id: string): Promise<Approval> {
  const approval = await readApproval(db, id)
  if (approval && (await isTheirs(db, by, approval))) return approval
  throw noApproval(id)
}

async function isTheirs(
  db: Database | Tx,
  by: Principal,
  { sessionId, codeRunId }: Pick<Approval, 'sessionId' | 'codeRunId'>,
): Promise<boolean> {
  if (sessionId !== null) return maySee(db, by, sessionId)
  if (by.agent || codeRunId === null) return false
  return by.kind === 'owner' || (await findCodeRun(db, codeRunId))?.createdBy === by.id
}

async function theVisibleRow(tx: Tx, by: Principal, id: string): Promise<ApprovalRow> {
  const approval = await findApproval(tx, id)
  if (approval && (await isTheirs(tx, by, approval))) return approval
  throw noApproval(id)
}

/** Only where there is one: most questions wait when they are answered. */
const nameOfAnswerer = async (tx: Tx, { status, id }: ApprovalRow): Promise<string | null> =>
  status === 'waiting' ? null : ((await readApproval(tx, id))?.answeredByName ?? null)

const noApproval = (id: string) => new Problem('approval_not_found', `No approval ${id}`)

/** The same tool with the same subject, whatever stands in it, is answered the same way from now on. */
async function remember(
  tx: Tx,
  by: Principal,
  { agentId }: ExecutionRow,
  approval: ApprovalRow,
): Promise<void> {
  const { id: approvalId, tool, status } = approval
  for (const argument of argumentsOf(approval)) {
    const effect = status === 'granted' ? 'allow' : 'deny'
    const rule = { id: newId(), agentId, tool: literally(tool), argument, effect } as const
    await putRule(tx, { ...rule, approvalId, createdBy: by.id })
    await noteRule(tx, by, 'rule added', rule)
  }
}

/** Where the registry knows of no subject, what it asks is about the whole tool. */
function argumentsOf({ askedBy, subject, subjects }: ApprovalRow): (string | null)[] {
  if (askedBy === 'registry' && subjects?.length === 0) return [null]
  return (subjects ?? [subject].filter((only) => only !== null)).map(literally)
}

async function letBegin(
  tx: Tx,
  by: Principal,
  handOver: Pick<HandOver, 'send'>,
  row: ExecutionRow,
  { status, reason }: ApprovalRow,
): Promise<void> {
  if (status === 'granted') return handOver.send(tx, row)
  const why = reason ? `: ${inertLine(reason).slice(0, 300)}` : ''
  await dropQueued(tx, row, `Refused by ${by.name}${why}`, by.id)
}
