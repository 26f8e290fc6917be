import type { PermissionPolicy } from '#contract/agent.ts'
import type { RuleEffect } from '#contract/approval.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { isLive } from '#contract/execution.ts'
import { findAgent } from '#db/agents.ts'
import {
  asApprovalOnBoard,
  askedOn,
  countWaiting,
  findApproval,
  findSameAsked,
  insertApproval,
  isInSession,
  settleApproval,
} from '#db/approvals.ts'
import type { ApprovalRow, NewApproval } from '#db/approvals.ts'
import { enqueueCommand } from '#db/commands.ts'
import { appendEvents, boardEvent, lockStream, tellBoard } from '#db/events.ts'
import { lockExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { rulesFor } from '#db/policy-rules.ts'
import type { Database, Tx } from '#db/pool.ts'
import { approvalIdOf, checkAskable, inBrief } from '#domain/approval.ts'
import { decideCall } from '#domain/policy.ts'
import type { Request } from '#domain/policy.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { answeredEvent, askedEvent, byPolicy, tellAgent, tellAnswered } from './ask-approval.ts'
import type { AskingRules } from './ask-approval.ts'

/** What the registry asks on behalf of whoever calls a tool: of an agent, or of the code of a person, which is in no session. */
export interface ToolQuestion extends Pick<Request, 'kind' | 'tool' | 'subject' | 'readOnly' | 'alias'> {
  executionId: string | null
  sessionId: string | null
  agentId: string | null
  title: string
  /** All of it. */
  input: unknown
  /** Of all of it. */
  inputHash: string
  danger: number
  isPlace?: boolean
  schema?: Record<string, unknown>
  /** No rule lets it pass. */
  isForAPerson: boolean
  /** Whatever the agent's policy is, only a rule refuses it, or has it asked about. */
  isExempt?: boolean
  /** Which call of a model's step it is. The same call is the same question, and a yes to it is for no other. */
  inChat?: { toolCallId: string; position: number; total: number } | undefined
  /** How agents call the same tool. */
  otherNames: readonly string[]
}

export type AgentQuestion = ToolQuestion & { executionId: string; sessionId: string; agentId: string }

const by = 'registry'

/** Puts it into the ledger, or answers with what stands there of the same already: asked again, it is one question. */
export async function askToolApproval(
  tx: Tx,
  question: AgentQuestion,
  rules: AskingRules & { machineId: string },
): Promise<ApprovalRow> {
  const { executionId, sessionId } = question
  const effect = await decideForAgent(tx, question, rules)
  if (effect === 'ask') checkAskable(question.tool, question.input)
  // The board hears only of what people are asked.
  if (effect === 'ask') await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, sessionId)
  const row = await lockExecution(tx, executionId)
  if (!isLive(row.status))
    throw new Problem('execution_ended', 'The turn that asks for this is over', { status: row.status })
  const requestId = `${askedOn(rules.machineId)}${question.inChat ? nameOf(question, question.inChat) : newId()}`
  const known = question.inChat
    ? await findApproval(tx, approvalIdOf(executionId, requestId))
    : effect === 'ask' && (await findSameAsked(tx, question))
  if (known) return known
  const approval = await insertApproval(tx, {
    ...rowOf(question, requestId, rules),
    ...(effect !== 'ask' && { input: inBrief(question.input) ?? null, ...byPolicy(effect) }),
  })
  if (!approval) throw new Error('A new question is there already')
  if (approval.status !== 'waiting') {
    await appendEvents(tx, sessionId, [askedEvent(approval), answeredEvent(approval)])
    return approval
  }
  await tellAsked(tx, row, approval)
  return approval
}

/** A model may call two calls the same: a yes to one of them is none to the other. */
const nameOf = ({ inputHash }: ToolQuestion, { toolCallId }: { toolCallId: string }): string =>
  `${toolCallId}:${inputHash}`

/** A question as it stands in the ledger. */
export const rowOf = (
  question: ToolQuestion,
  requestId: string,
  { approvalExpiresMs }: Pick<AskingRules, 'approvalExpiresMs'>,
): NewApproval => ({
  id: approvalIdOf(question.executionId ?? '', requestId),
  sessionId: question.sessionId,
  executionId: question.executionId,
  requestId,
  askedBy: by,
  kind: question.kind,
  tool: question.tool,
  title: question.title,
  input: question.input ?? null,
  inputHash: question.inputHash,
  ...subjectOf(question),
  readOnly: question.readOnly,
  danger: question.danger,
  options: [],
  schema: question.schema ?? null,
  toolCallId: question.inChat?.toolCallId ?? null,
  queuePosition: question.inChat?.position ?? null,
  queueTotal: question.inChat?.total ?? null,
  expiresAt: new Date(Date.now() + approvalExpiresMs),
})

/** Everybody hears that an agent's call waits for a person. Both streams are locked, and its row is. */
export async function tellAsked(tx: Tx, row: ExecutionRow, approval: ApprovalRow): Promise<void> {
  await countWaiting(tx, row.id)
  await tellBoard(
    tx,
    boardEvent('approval.asked', { approval: asApprovalOnBoard(approval) }, row.taskId ?? undefined),
  )
  await appendEvents(tx, row.sessionId, [askedEvent(approval)])
  // Its agent does not know that somebody is asked: the time that it may take stands still for it.
  const { requestId } = approval
  await enqueueCommand(tx, row.id, { type: 'hold', payload: { requestId }, createdBy: by })
}

/** Whether there is nothing to ask, and nothing to write down: no rule is about what needs no approval. */
export async function isLetPass(
  db: Database,
  question: ToolQuestion,
  rules: Pick<AskingRules, 'configured'>,
): Promise<boolean> {
  return question.isExempt === true && (await byRules(db, question, 'all', rules)) === 'allow'
}

/** What the rules say, and where they say nothing the agent's policy. */
export async function decideForAgent(
  tx: Database | Tx,
  question: AgentQuestion,
  rules: Pick<AskingRules, 'configured'>,
): Promise<RuleEffect> {
  const agent = await findAgent(tx, question.agentId)
  if (!agent) return 'ask'
  const effect = await byRules(tx, question, question.isExempt ? 'all' : agent.permissionPolicy, rules)
  return effect === 'allow' && question.isForAPerson ? 'ask' : effect
}

/** A person's own code: what rules for every agent say; where they say nothing, what may destroy something is asked about. */
export async function decideForPerson(
  db: Database,
  question: ToolQuestion,
  rules: Pick<AskingRules, 'configured'>,
): Promise<RuleEffect> {
  const isDestructive = question.danger >= 2 && !question.isExempt
  const effect = await byRules(db, question, isDestructive ? 'ask' : 'all', rules)
  return effect === 'allow' && question.isForAPerson ? 'ask' : effect
}

async function byRules(
  tx: Database | Tx,
  { agentId, otherNames, ...request }: ToolQuestion,
  policy: PermissionPolicy,
  { configured }: Pick<AskingRules, 'configured'>,
): Promise<RuleEffect> {
  return decideCall({ policy, rules: await rulesFor(tx, agentId), configured, request }, otherNames)
}

/** A tool that is about nothing in particular is known by itself. */
const subjectOf = ({ kind, tool, subject }: ToolQuestion) =>
  kind === 'tool' && subject === null ? { subject: tool, subjects: [] } : { subject }

/** Whoever called does not wait for an answer any more. */
export async function withdrawToolApproval(tx: Tx, id: string, reason: string): Promise<void> {
  const approval = await findApproval(tx, id)
  if (!approval || !isInSession(approval)) return
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, approval.sessionId)
  const row = await lockExecution(tx, approval.executionId)
  const expired = await settleApproval(tx, id, { status: 'expired', answeredBy: 'agent', reason })
  if (!expired) return
  await appendEvents(tx, approval.sessionId, await tellAnswered(tx, row, expired))
  if (isLive(row.status)) await tellAgent(tx, expired)
}
