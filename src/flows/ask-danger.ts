import type { Principal } from '#contract/access.ts'
import { asApprovalOnBoard, findAsked, insertApproval } from '#db/approvals.ts'
import type { ApprovalRow } from '#db/approvals.ts'
import { appendEvents, boardEvent, tellBoard } from '#db/events.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Database, Tx } from '#db/pool.ts'
import { approvalIdOf, dangerRequest } from '#domain/approval.ts'
import type { Danger } from '#domain/danger.ts'
import { Problem } from '#domain/problem.ts'
import { inertLine } from '#lib/inert-text.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import { askedEvent } from './ask-approval.ts'

const longestTitle = 500

interface Asking {
  dangerLevel: number
  expiresAt: Date
  /** Who said yes with the request itself: then nobody is asked, and the ledger says who it was. */
  grantedBy?: Principal | undefined
}

/** Puts into the ledger that an execution is dangerous. It is not handed over before somebody has said yes. */
export async function askDanger(
  tx: Tx,
  row: ExecutionRow,
  danger: Danger,
  { dangerLevel, expiresAt, grantedBy }: Asking,
): Promise<void> {
  const approval = await insertApproval(tx, {
    id: approvalIdOf(row.id, dangerRequest),
    sessionId: row.sessionId,
    executionId: row.id,
    requestId: dangerRequest,
    kind: 'danger',
    tool: danger.tool,
    title: shortened(inertLine(danger.title)),
    input: danger.input,
    inputHash: hashOfInput(danger),
    readOnly: false,
    danger: dangerLevel,
    options: [],
    expiresAt,
    ...(grantedBy && { status: 'granted', answeredBy: grantedBy.id, answeredAt: new Date() }),
  })
  if (!approval) throw new Error(`Execution ${row.id} has asked already`)
  if (grantedBy) return
  await appendEvents(tx, row.sessionId, [askedEvent(approval)])
  const onBoard = { approval: asApprovalOnBoard(approval) }
  await tellBoard(tx, boardEvent('approval.asked', onBoard, row.taskId ?? undefined))
}

/** Throws unless what is about to run is what somebody has said yes to: a task or a template may have changed since. */
export async function checkDangerGranted(
  db: Database | Tx,
  row: ExecutionRow,
  danger: Danger,
): Promise<void> {
  checkGranted(await findAsked(db, row.id, dangerRequest), danger)
}

/** The same for who has read what was asked about it. */
export function checkGranted(approval: ApprovalRow | undefined, danger: Danger): void {
  if (!approval) return // it was queued before it was called dangerous
  if (approval.status !== 'granted')
    throw new Problem('forbidden', `Nobody has said yes to it: its approval is ${approval.status}`)
  if (approval.inputHash !== hashOfInput(danger))
    throw new Problem('forbidden', `It is not what was said yes to any more, which was: ${approval.title}`)
}

const shortened = (title: string) =>
  title.length > longestTitle ? `${title.slice(0, longestTitle - 1).toWellFormed()}…` : title
