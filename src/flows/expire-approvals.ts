import { BOARD_STREAM } from '#contract/event.ts'
import { isLive } from '#contract/execution.ts'
import { isInSession, overdueApprovals, settleApproval } from '#db/approvals.ts'
import type { ApprovalRow } from '#db/approvals.ts'
import { appendEvents, lockStream } from '#db/events.ts'
import { lockExecution } from '#db/executions.ts'
import type { DatabasePool, Tx } from '#db/pool.ts'
import { nobodyAnswered } from '#domain/approval.ts'
import { tellAgent, tellAnswered } from './ask-approval.ts'
import { dropQueued } from './drop-queued.ts'
import { settleOwnCode } from './settle-own-code.ts'

/** Who answered, when it was the time. */
const clock = 'clock'

/** Ends the waiting of everything that nobody came for in time. Any process may do this, and several do. */
export async function expireOverdue(pool: DatabasePool): Promise<void> {
  for (const overdue of await overdueApprovals(pool.db)) await pool.transaction((tx) => expire(tx, overdue))
}

async function expire(tx: Tx, overdue: ApprovalRow): Promise<void> {
  const { id, kind } = overdue
  const how = { status: 'expired', answeredBy: clock, reason: nobodyAnswered } as const
  if (!isInSession(overdue)) {
    await settleOwnCode(tx, id, how)
    return
  }
  const { sessionId, executionId } = overdue
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, sessionId)
  const row = await lockExecution(tx, executionId)
  const expired = await settleApproval(tx, id, how)
  if (!expired) return
  await appendEvents(tx, sessionId, await tellAnswered(tx, row, expired))
  if (!isLive(row.status)) return
  if (kind === 'danger') await dropQueued(tx, row, nobodyAnswered, clock)
  else await tellAgent(tx, expired)
}
