import { BOARD_STREAM } from '#contract/event.ts'
import type { CodeResult } from '#contract/execute.ts'
import { isLive } from '#contract/execution.ts'
import { isInSession, settleApproval, waitingOfCode } from '#db/approvals.ts'
import type { ApprovalRow } from '#db/approvals.ts'
import { noteAudit } from '#db/audit.ts'
import { deleteCallsOf } from '#db/code-calls.ts'
import { codeNote } from '#db/code-note.ts'
import { CODE_ENDED_CHANNEL, endCodeRunRow, findCodeRun, openRunsOf, ringCode } from '#db/code-runs.ts'
import type { CodeRunTold } from '#db/code-runs.ts'
import { appendEvents, lockStream } from '#db/events.ts'
import { lockExecution } from '#db/executions.ts'
import type { Tx } from '#db/pool.ts'
import { cancelledResult, usedBy } from '#domain/code-run.ts'
import { tellAgent, tellAnswered } from './ask-approval.ts'
import { settleOwnCode } from './settle-own-code.ts'

const notWaitedFor = 'The code does not wait for an answer any more'

/**
 * The end of a run that was put away before: its result, the audit, and what it still asked. With an epoch only when nobody else
 * drives it. Says whether it ended by this.
 */
export async function endCodeRun(
  tx: Tx,
  id: string,
  result: CodeResult,
  { epoch, reached = {} }: { epoch?: number; reached?: Record<string, unknown> } = {},
): Promise<boolean> {
  await lockStream(tx, BOARD_STREAM)
  const run = await findCodeRun(tx, id)
  if (run?.executionId && run.sessionId) {
    await lockStream(tx, run.sessionId)
    await lockExecution(tx, run.executionId)
  }
  const ended = await endCodeRunRow(tx, id, result, epoch)
  if (!ended) return false
  for (const approval of await waitingOfCode(tx, id)) await takeBack(tx, approval)
  await close(tx, ended, result, reached)
  return true
}

/** The turn in which they run is over. Its streams are locked, and what they asked is settled. */
export async function cancelCodeRunsOf(tx: Tx, executionId: string): Promise<void> {
  for (const run of await openRunsOf(tx, executionId)) {
    const result = cancelledResult(run, 'The turn of the agent that ran this is over', usedBy(run.meter))
    if (await endCodeRunRow(tx, run.id, result)) await close(tx, run, result, {})
  }
  await ringCode(tx, CODE_ENDED_CHANNEL, executionId)
}

async function close(
  tx: Tx,
  run: CodeRunTold,
  result: CodeResult,
  reached: Record<string, unknown>,
): Promise<void> {
  await deleteCallsOf(tx, run.id)
  await noteAudit(tx, codeNote(run, result, reached))
  await ringCode(tx, CODE_ENDED_CHANNEL, run.id)
}

async function takeBack(tx: Tx, approval: ApprovalRow): Promise<void> {
  const how = { status: 'expired', answeredBy: 'code', reason: notWaitedFor } as const
  if (!isInSession(approval)) {
    await settleOwnCode(tx, approval.id, how)
    return
  }
  const expired = await settleApproval(tx, approval.id, how)
  if (!expired) return
  const row = await lockExecution(tx, approval.executionId)
  await appendEvents(tx, approval.sessionId, await tellAnswered(tx, row, expired))
  if (isLive(row.status)) await tellAgent(tx, expired)
}
