import { and, asc, count, desc, eq, getTableColumns, isNull, like, lt, or, sql } from 'drizzle-orm'
import type { Approval, ApprovalOnBoard, ApprovalQuery, ApprovalStatus } from '#contract/approval.ts'
import { mostShownAtOnce } from '#domain/approval.ts'
import { madeOnce } from './made-once.ts'
import type { Database, Tx } from './pool.ts'
import { approvals, codeRuns, executions, sessions, users } from './schema.ts'

export type ApprovalRow = typeof approvals.$inferSelect
export type NewApproval = typeof approvals.$inferInsert

/** One that is asked in a session. Others are asked by a person's own code. */
export type ApprovalInSession = ApprovalRow & { sessionId: string; executionId: string }
export const isInSession = (row: ApprovalRow): row is ApprovalInSession =>
  row.sessionId !== null && row.executionId !== null

/** Inserts it, unless it is there already: what was asked once is one question. */
export async function insertApproval(tx: Tx, approval: NewApproval): Promise<ApprovalRow | undefined> {
  const [row] = await tx.insert(approvals).values(approval).onConflictDoNothing().returning()
  return row
}

export async function findApproval(db: Database | Tx, id: string): Promise<ApprovalRow | undefined> {
  const [row] = await db.select().from(approvals).where(eq(approvals.id, id))
  return row
}

const selectAsked = madeOnce('find_asked', (db) =>
  db
    .select()
    .from(approvals)
    .where(
      and(
        eq(approvals.executionId, sql.placeholder('executionId')),
        eq(approvals.requestId, sql.placeholder('requestId')),
      ),
    ),
)

export async function findAsked(
  db: Database | Tx,
  executionId: string,
  requestId: string,
): Promise<ApprovalRow | undefined> {
  const [row] = await selectAsked(db, { executionId, requestId })
  return row
}

/** Rings in the worker whose registry has asked, when the transaction commits. */
export const ANSWERED_CHANNEL = 'approval_answered'

export async function ringAnswered(tx: Tx, id: string): Promise<void> {
  await tx.$client.query(`select pg_notify('${ANSWERED_CHANNEL}', $1)`, [id])
}

/** The same was asked by the registry before: it waits, or there is a yes that has not been used. */
export async function findSameAsked(
  tx: Tx,
  { executionId, tool, inputHash }: { executionId: string; tool: string; inputHash: string },
): Promise<ApprovalRow | undefined> {
  const isOpen = or(eq(approvals.status, 'waiting'), eq(approvals.status, 'granted'))
  const [row] = await tx
    .select()
    .from(approvals)
    .where(
      and(
        eq(approvals.executionId, executionId),
        eq(approvals.askedBy, 'registry'),
        isNull(approvals.codeRunId),
        eq(approvals.tool, tool),
        eq(approvals.inputHash, inputHash),
        isNull(approvals.usedAt),
        isOpen,
      ),
    )
    .orderBy(asc(approvals.place))
    .limit(1)
  return row
}

/** How the requests begin that the registry of a machine asks. */
export const askedOn = (machineId: string): string => `registry:${machineId}:`

/** What the registry of a machine has asked, and nobody has answered. */
export async function waitingAskedOn(db: Database, machineId: string): Promise<string[]> {
  const rows = await db
    .select({ id: approvals.id })
    .from(approvals)
    .where(
      and(
        eq(approvals.status, 'waiting'),
        eq(approvals.askedBy, 'registry'),
        like(approvals.requestId, `${askedOn(machineId)}%`),
      ),
    )
  return rows.map(({ id }) => id)
}

/** A yes counts once. Says whether this was the time. */
export async function useGrant(db: Database | Tx, id: string): Promise<boolean> {
  const { rowCount } = await db
    .update(approvals)
    .set({ usedAt: sql`now()` })
    .where(and(eq(approvals.id, id), eq(approvals.status, 'granted'), isNull(approvals.usedAt)))
  return rowCount === 1
}

export interface Settling {
  status: Exclude<ApprovalStatus, 'waiting'>
  answeredBy: string
  reason?: string | undefined
  content?: Record<string, unknown> | undefined
}

/** Answers it, if it still waits; nothing otherwise. */
export async function settleApproval(tx: Tx, id: string, how: Settling): Promise<ApprovalRow | undefined> {
  const [row] = await tx
    .update(approvals)
    .set({ ...how, answeredAt: new Date() })
    .where(and(eq(approvals.id, id), eq(approvals.status, 'waiting')))
    .returning()
  return row
}

/** Takes back a yes that the agent did not hear, if it was one; nothing otherwise. */
export async function unsettleGrant(tx: Tx, id: string, reason: string): Promise<ApprovalRow | undefined> {
  const [row] = await tx
    .update(approvals)
    .set({ status: 'expired', answeredBy: 'agent', reason })
    .where(and(eq(approvals.id, id), eq(approvals.status, 'granted')))
    .returning()
  return row
}

/** What a run of code waits for, in the order in which it was asked. */
export async function waitingOfCode(db: Database | Tx, codeRunId: string): Promise<ApprovalRow[]> {
  return db
    .select()
    .from(approvals)
    .where(and(eq(approvals.codeRunId, codeRunId), eq(approvals.status, 'waiting')))
    .orderBy(asc(approvals.place))
}

export async function waitingApprovalsOf(tx: Tx, executionId: string): Promise<ApprovalRow[]> {
  return tx
    .select()
    .from(approvals)
    .where(and(eq(approvals.executionId, executionId), eq(approvals.status, 'waiting')))
    .orderBy(asc(approvals.place))
}

/** Those for which nobody came in time. */
export async function overdueApprovals(db: Database): Promise<ApprovalRow[]> {
  return db
    .select()
    .from(approvals)
    .where(and(eq(approvals.status, 'waiting'), lt(approvals.expiresAt, sql`now()`)))
    .orderBy(asc(approvals.expiresAt))
    .limit(100)
}

/** How many of an execution's questions wait, as everybody sees it. */
export async function countWaiting(tx: Tx, executionId: string): Promise<void> {
  const waiting = sql`(select count(*) from ${approvals} a where a.execution_id = ${executionId} and a.status = 'waiting')`
  await tx.update(executions).set({ waitingApprovals: waiting }).where(eq(executions.id, executionId))
}

/** Beside those of the same session; where there is none, of the same code. */
const waitingBeside = sql`a.status = 'waiting' and (a.session_id = approvals.session_id
  or approvals.session_id is null and a.code_run_id = approvals.code_run_id)`
const shown = {
  ...getTableColumns(approvals),
  agentName: sql<string>`coalesce(${executions.agentName}, ${codeRuns.principal}->>'name', 'Code')`,
  position: sql<number>`(case when approvals.status = 'waiting' then
    (select count(*) from ${approvals} a where ${waitingBeside} and a.place <= approvals.place) else 0 end)::int`,
  total: sql<number>`(select count(*) from ${approvals} a where ${waitingBeside})::int`,
  answeredByName: sql<
    string | null
  >`(select u.name from ${users} u where u.id::text = approvals.answered_by)`,
}

const text = sql`approvals.input::text`
/** Never all of what may be very long (domain/approval.ts `inBrief`). */
const shownInLists = {
  ...shown,
  input: sql<unknown>`(case when approvals.asked_by = 'registry' and length(${text}) > ${mostShownAtOnce}
    then json_build_object('beginning', left(${text}, ${mostShownAtOnce}), 'characters', length(${text}))
    else approvals.input end)`,
}

type Shown = ApprovalRow & {
  agentName: string
  position: number
  total: number
  answeredByName: string | null
}

const asApproval = (row: Shown): Approval => ({
  id: row.id,
  sessionId: row.sessionId,
  executionId: row.executionId,
  codeRunId: row.codeRunId,
  agentName: row.agentName,
  kind: row.kind,
  tool: row.tool,
  title: row.title,
  input: row.input,
  subject: row.subject,
  danger: row.danger,
  toolCallId: row.toolCallId,
  options: row.options,
  questions: row.questions,
  schema: row.schema,
  status: row.status,
  position: row.queuePosition ?? row.position,
  total: row.queueTotal ?? row.total,
  askedAt: row.askedAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  answeredAt: row.answeredAt?.toISOString() ?? null,
  answeredBy: row.answeredBy,
  answeredByName: row.answeredByName,
  reason: row.reason,
})

export const asApprovalOnBoard = (row: ApprovalRow): ApprovalOnBoard => ({
  id: row.id,
  sessionId: row.sessionId,
  executionId: row.executionId,
  codeRunId: row.codeRunId,
  kind: row.kind,
  tool: row.tool,
  status: row.status,
  danger: row.danger,
  askedAt: row.askedAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
})

export async function readApproval(db: Database | Tx, id: string): Promise<Approval | undefined> {
  const [row] = await db
    .select(shown)
    .from(approvals)
    .leftJoin(executions, eq(executions.id, approvals.executionId))
    .leftJoin(codeRuns, eq(codeRuns.id, approvals.codeRunId))
    .where(eq(approvals.id, id))
  return row && asApproval(row)
}

/** What waits: the riskiest first, then the oldest. Else newest first. With `createdBy` only those of their sessions and their code. */
export async function listApprovals(
  db: Database,
  { page, pageSize, status, sessionId, executionId }: ApprovalQuery,
  createdBy?: string,
): Promise<{ data: Approval[]; total: number }> {
  const fits = and(
    status ? eq(approvals.status, status) : undefined,
    sessionId ? eq(approvals.sessionId, sessionId) : undefined,
    executionId ? eq(approvals.executionId, executionId) : undefined,
    createdBy === undefined
      ? undefined
      : sql`coalesce(${sessions.createdBy}, ${codeRuns.createdBy}) = ${createdBy}`,
  )
  const order =
    status === 'waiting' ? [desc(approvals.danger), asc(approvals.place)] : [desc(approvals.place)]
  const [[counted], rows] = await Promise.all([
    db
      .select({ total: count() })
      .from(approvals)
      .leftJoin(sessions, eq(sessions.id, approvals.sessionId))
      .leftJoin(codeRuns, eq(codeRuns.id, approvals.codeRunId))
      .where(fits),
    db
      .select(shownInLists)
      .from(approvals)
      .leftJoin(executions, eq(executions.id, approvals.executionId))
      .leftJoin(sessions, eq(sessions.id, approvals.sessionId))
      .leftJoin(codeRuns, eq(codeRuns.id, approvals.codeRunId))
      .where(fits)
      .orderBy(...order)
      .limit(pageSize)
      .offset((page - 1) * pageSize),
  ])
  return { data: rows.map(asApproval), total: counted?.total ?? 0 }
}
