import type { NewEvent } from '#contract/event.ts'
import type { SpoolRecord } from '#contract/keeper.ts'
import {
  asApprovalOnBoard,
  countWaiting,
  findAsked,
  insertApproval,
  settleApproval,
  waitingApprovalsOf,
} from '#db/approvals.ts'
import type { ApprovalRow } from '#db/approvals.ts'
import { boardEvent, tellBoard } from '#db/events.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Tx } from '#db/pool.ts'
import { approvalIdOf } from '#domain/approval.ts'

type Asked = Extract<SpoolRecord, { type: 'approval' }>['payload']

/** Puts a question into the ledger, in the transaction that copies it, and tells of it. Both streams are locked. */
export async function askApproval(
  tx: Tx,
  row: ExecutionRow,
  asked: Asked,
  expiresAt: Date,
): Promise<NewEvent[]> {
  const approval = await insertApproval(tx, {
    id: approvalIdOf(row.id, asked.requestId),
    sessionId: row.sessionId,
    executionId: row.id,
    requestId: asked.requestId,
    kind: asked.kind,
    tool: asked.tool,
    title: asked.title,
    input: asked.input ?? null,
    inputHash: asked.inputHash,
    subject: asked.subject,
    readOnly: asked.readOnly,
    danger: asked.readOnly ? 0 : 1,
    toolCallId: asked.toolCallId,
    options: asked.options,
    questions: asked.questions ?? null,
    schema: asked.schema ?? null,
    expiresAt,
  })
  if (!approval) return []
  await countWaiting(tx, row.id)
  await tellBoard(
    tx,
    boardEvent('approval.asked', { approval: asApprovalOnBoard(approval) }, row.taskId ?? undefined),
  )
  return [askedEvent(approval)]
}

/** The agent does not wait for it any more. */
export async function withdrawApproval(
  tx: Tx,
  row: ExecutionRow,
  requestId: string,
  reason: string,
): Promise<NewEvent[]> {
  const approval = await findAsked(tx, row.id, requestId)
  return approval ? expire(tx, row, approval, reason) : []
}

/** Nobody is left to hear an answer. */
export async function expireApprovalsOf(tx: Tx, row: ExecutionRow, reason: string): Promise<NewEvent[]> {
  const events: NewEvent[] = []
  for (const approval of await waitingApprovalsOf(tx, row.id))
    events.push(...(await expire(tx, row, approval, reason)))
  return events
}

async function expire(tx: Tx, row: ExecutionRow, { id }: ApprovalRow, reason: string): Promise<NewEvent[]> {
  const expired = await settleApproval(tx, id, { status: 'expired', answeredBy: 'agent', reason })
  return expired ? tellAnswered(tx, row, expired) : []
}

/** Tells the board, counts, and says what belongs into the session's stream. */
export async function tellAnswered(tx: Tx, row: ExecutionRow, approval: ApprovalRow): Promise<NewEvent[]> {
  await countWaiting(tx, row.id)
  const by = approval.answeredBy ?? ''
  await tellBoard(
    tx,
    boardEvent('approval.answered', { approval: asApprovalOnBoard(approval), by }, row.taskId ?? undefined),
  )
  return [answeredEvent(approval)]
}

const askedEvent = (approval: ApprovalRow): NewEvent => ({
  type: 'tool-approval-request',
  payload: {
    approvalId: approval.id,
    toolCallId: approval.toolCallId ?? approval.id,
    kind: approval.kind,
    tool: approval.tool,
    title: approval.title,
    input: approval.input,
    options: approval.options,
    questions: approval.questions,
    schema: approval.schema,
    expiresAt: approval.expiresAt.toISOString(),
  },
  executionId: approval.executionId,
})

const answeredEvent = (approval: ApprovalRow): NewEvent => ({
  type: 'tool-approval-response',
  payload: {
    approvalId: approval.id,
    approved: approval.status === 'granted',
    status: approval.status,
    reason: approval.reason ?? undefined,
    by: approval.answeredBy,
  },
  executionId: approval.executionId,
})
