import type { ApprovalAnswer } from '#contract/agent-event.ts'
import type { RuleEffect } from '#contract/approval.ts'
import type { NewEvent } from '#contract/event.ts'
import type { SpoolRecord } from '#contract/keeper.ts'
import { findAgent } from '#db/agents.ts'
import {
  asApprovalOnBoard,
  countWaiting,
  findAsked,
  insertApproval,
  ringAnswered,
  settleApproval,
  unsettleGrant,
  waitingApprovalsOf,
} from '#db/approvals.ts'
import type { ApprovalRow } from '#db/approvals.ts'
import { enqueueCommand } from '#db/commands.ts'
import { boardEvent, tellBoard } from '#db/events.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { rulesFor } from '#db/policy-rules.ts'
import type { Tx } from '#db/pool.ts'
import { approvalIdOf, inBrief } from '#domain/approval.ts'
import { decide, decideOwnTool } from '#domain/policy.ts'
import type { Rule } from '#domain/policy.ts'

type Asked = Extract<SpoolRecord, { type: 'approval' }>['payload']

export interface AskingRules {
  /** How long a question waits for a person. */
  approvalExpiresMs: number
  /** Those of the configuration. */
  configured: readonly Rule[]
}

/** Puts a question into the ledger, in the transaction that copies it, and tells of it. Both streams are locked. */
export async function askApproval(
  tx: Tx,
  row: ExecutionRow,
  asked: Asked,
  rules: AskingRules,
): Promise<NewEvent[]> {
  const effect = await decided(tx, row, asked, rules)
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
    subjects: asked.subjects ?? null,
    readOnly: asked.readOnly,
    danger: asked.readOnly ? 0 : 1,
    toolCallId: asked.toolCallId,
    options: asked.options,
    questions: asked.questions ?? null,
    schema: asked.schema ?? null,
    expiresAt: new Date(Date.now() + rules.approvalExpiresMs),
    ...(effect !== 'ask' && byPolicy(effect)),
  })
  if (!approval) return []
  if (approval.status === 'waiting') {
    await countWaiting(tx, row.id)
    const onBoard = { approval: asApprovalOnBoard(approval) }
    await tellBoard(tx, boardEvent('approval.asked', onBoard, row.taskId ?? undefined))
    return [askedEvent(approval)]
  }
  await tellAgent(tx, approval)
  return [askedEvent(approval), answeredEvent(approval)]
}

async function decided(
  tx: Tx,
  { agentId }: ExecutionRow,
  request: Asked,
  { configured }: AskingRules,
): Promise<RuleEffect> {
  const agent = agentId ? await findAgent(tx, agentId) : undefined
  if (!agent) return 'ask'
  const known = { policy: agent.permissionPolicy, rules: await rulesFor(tx, agent.id), configured, request }
  return request.isOwnTool ? decideOwnTool(known) : decide(known)
}

export const byPolicy = (effect: 'allow' | 'deny') => ({
  status: effect === 'allow' ? ('granted' as const) : ('refused' as const),
  answeredBy: 'policy',
  answeredAt: new Date(),
  ...(effect === 'deny' && { reason: 'Refused by a rule, without asking anybody' }),
})

/** The agent does not wait for it any more. A yes that is under way to it, or that it could not take, has come to nothing. */
export async function withdrawApproval(
  tx: Tx,
  row: ExecutionRow,
  requestId: string,
  reason: string,
): Promise<NewEvent[]> {
  const approval = await findAsked(tx, row.id, requestId)
  if (approval?.status === 'granted') {
    const expired = await unsettleGrant(tx, approval.id, reason)
    return expired ? tellAnswered(tx, row, expired) : []
  }
  return approval ? expire(tx, row, approval, reason) : []
}

/** Nobody is left to hear an answer. */
export async function expireApprovalsOf(
  tx: Tx,
  row: ExecutionRow,
  reason: string,
  by = 'agent',
): Promise<NewEvent[]> {
  const events: NewEvent[] = []
  for (const approval of await waitingApprovalsOf(tx, row.id))
    events.push(...(await expire(tx, row, approval, reason, by)))
  return events
}

async function expire(
  tx: Tx,
  row: ExecutionRow,
  { id }: ApprovalRow,
  reason: string,
  by = 'agent',
): Promise<NewEvent[]> {
  const expired = await settleApproval(tx, id, { status: 'expired', answeredBy: by, reason })
  return expired ? tellAnswered(tx, row, expired) : []
}

/** Tells the board, counts, and says what belongs into the session's stream. */
export async function tellAnswered(tx: Tx, row: ExecutionRow, approval: ApprovalRow): Promise<NewEvent[]> {
  await countWaiting(tx, row.id)
  if (approval.askedBy === 'registry') await ringAnswered(tx, approval.id)
  const by = approval.answeredBy ?? ''
  await tellBoard(
    tx,
    boardEvent('approval.answered', { approval: asApprovalOnBoard(approval), by }, row.taskId ?? undefined),
  )
  return [answeredEvent(approval)]
}

/** Queues how it was answered for its agent; what expired is a no to it. What the registry asked it hears by itself. */
export async function tellAgent(tx: Tx, approval: ApprovalRow, optionId?: string): Promise<void> {
  const { executionId, requestId, inputHash, status, reason, content } = approval
  if (executionId === null) return
  const createdBy = approval.answeredBy ?? ''
  if (approval.askedBy === 'registry') {
    await enqueueCommand(tx, executionId, { type: 'go_on', payload: { requestId }, createdBy })
    return
  }
  const payload: ApprovalAnswer = {
    requestId,
    inputHash,
    decision: status === 'granted' ? 'granted' : 'refused',
    ...(reason !== null && { reason }),
    ...(optionId !== undefined && { optionId }),
    ...(content !== null && { content }),
  }
  await enqueueCommand(tx, executionId, { type: 'answer', payload, createdBy })
}

export const askedEvent = (approval: ApprovalRow): NewEvent => ({
  type: 'tool-approval-request',
  payload: {
    approvalId: approval.id,
    toolCallId: approval.toolCallId ?? approval.id,
    kind: approval.kind,
    tool: approval.tool,
    title: approval.title,
    input: approval.askedBy === 'registry' ? inBrief(approval.input) : approval.input,
    options: approval.options,
    questions: approval.questions,
    schema: approval.schema,
    expiresAt: approval.expiresAt.toISOString(),
    // By a rule: nobody has to be shown it.
    ...(approval.status !== 'waiting' && { isAnswered: true }),
    ...(approval.queuePosition !== null && {
      position: approval.queuePosition,
      total: approval.queueTotal,
    }),
  },
  ...(approval.executionId !== null && { executionId: approval.executionId }),
})

export const answeredEvent = (approval: ApprovalRow): NewEvent => ({
  type: 'tool-approval-response',
  payload: {
    approvalId: approval.id,
    approved: approval.status === 'granted',
    status: approval.status,
    reason: approval.reason ?? undefined,
    by: approval.answeredBy,
  },
  ...(approval.executionId !== null && { executionId: approval.executionId }),
})
