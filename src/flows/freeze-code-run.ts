import { BOARD_STREAM } from '#contract/event.ts'
import { isLive } from '#contract/execution.ts'
import { asApprovalOnBoard, insertApproval, waitingOfCode } from '#db/approvals.ts'
import type { ApprovalRow } from '#db/approvals.ts'
import { replaceCalls } from '#db/code-calls.ts'
import type { MadeCall } from '#db/code-calls.ts'
import { insertImage } from '#db/code-images.ts'
import {
  CODE_FROZEN_CHANNEL,
  insertCodeRun,
  openRunsOfPerson,
  putAwayAgain,
  ringCode,
} from '#db/code-runs.ts'
import type { NewCodeRun, PutAway } from '#db/code-runs.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import { lockExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Tx } from '#db/pool.ts'
import { whyNoRoom } from '#domain/code-run.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { rowOf, tellAsked } from './ask-tool-approval.ts'
import type { ToolQuestion } from './ask-tool-approval.ts'

/** A call that waits for a person: it was asked about when the run was put away before, or is now. */
export type WaitingCall = MadeCall & ({ approvalId: string } | { question: ToolQuestion })

export interface Freezing {
  run: Omit<NewCodeRun, 'status' | keyof PutAway> & { id: string }
  /** Who drives it; none when it is put away for the first time. */
  epoch: number | undefined
  put: PutAway
  /** Where it is not stored yet. */
  image?: { hash: string; bytes: Uint8Array }
  waiting: readonly WaitingCall[]
}

/** Somebody else drives the run, or it has ended: whoever drove it stops. */
export class RunLost extends Error {}

/** There is no room for it: it ends, and says so. */
export class TooMuchWaits extends Error {}

/**
 * Puts a run away together with what it waits for and what is asked: there is no question without a run that waits for the answer,
 * and no such run without its question. Throws RunLost, TooMuchWaits, and a Problem when the execution in which it runs is over.
 */
export async function freezeCodeRun(
  tx: Tx,
  { run, epoch, put, image, waiting }: Freezing,
  rules: { approvalExpiresMs: number },
): Promise<ApprovalRow[]> {
  await lockStream(tx, BOARD_STREAM)
  const execution = run.executionId ? await lockLive(tx, run.executionId, run.sessionId) : undefined
  await checkRoom(tx, run, put.memory?.length ?? 0)
  if (image) await insertImage(tx, image)
  if (epoch === undefined) await insertCodeRun(tx, { ...run, ...put, status: 'frozen' })
  else if (!(await putAwayAgain(tx, run.id, epoch, put))) throw new RunLost('Somebody else drives this run')
  const asked: (MadeCall & { approvalId: string })[] = []
  for (const { call, kind, name, input, ...one } of waiting) {
    const approvalId =
      'approvalId' in one ? one.approvalId : await ask(tx, run.id, execution, one.question, rules)
    asked.push({ call, kind, name, input, approvalId })
  }
  await replaceCalls(tx, run.id, asked)
  await ringCode(tx, CODE_FROZEN_CHANNEL, run.id)
  return waitingOfCode(tx, run.id)
}

async function checkRoom(
  tx: Tx,
  { id, createdBy }: Pick<NewCodeRun, 'createdBy'> & { id: string },
  bytes: number,
): Promise<void> {
  const why = whyNoRoom(await openRunsOfPerson(tx, createdBy, id), bytes)
  if (why !== undefined) throw new TooMuchWaits(why)
}

async function lockLive(
  tx: Tx,
  executionId: string,
  sessionId: string | null | undefined,
): Promise<ExecutionRow> {
  if (sessionId) await lockStream(tx, sessionId)
  const row = await lockExecution(tx, executionId)
  if (isLive(row.status)) return row
  throw new Problem('execution_ended', 'The turn in which this runs is over', { status: row.status })
}

/** Never the same as another: the same call, made twice, is two questions. */
async function ask(
  tx: Tx,
  codeRunId: string,
  execution: ExecutionRow | undefined,
  question: ToolQuestion,
  rules: { approvalExpiresMs: number },
): Promise<string> {
  const approval = await insertApproval(tx, { ...rowOf(question, `code:${newId()}`, rules), codeRunId })
  if (!approval) throw new Error('A new question is there already')
  if (execution) await tellAsked(tx, execution, approval)
  else await tellBoard(tx, boardEvent('approval.asked', { approval: asApprovalOnBoard(approval) }))
  return approval.id
}
