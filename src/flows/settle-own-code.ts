import { BOARD_STREAM } from '#contract/event.ts'
import { asApprovalOnBoard, ringAnswered, settleApproval } from '#db/approvals.ts'
import type { ApprovalRow, Settling } from '#db/approvals.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'

/** Ends the waiting of what a person's own code asks, if it still waits, and tells of it. It stands in no session. */
export async function settleOwnCode(tx: Tx, id: string, how: Settling): Promise<ApprovalRow | undefined> {
  await lockStream(tx, BOARD_STREAM)
  const settled = await settleApproval(tx, id, how)
  if (!settled) return undefined
  await ringAnswered(tx, id)
  const approval = asApprovalOnBoard(settled)
  await tellBoard(tx, boardEvent('approval.answered', { approval, by: how.answeredBy }))
  return settled
}
