import { and, count, desc, eq, getTableColumns, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Changes, Execution, ExecutionOnBoard, ExecutionQuery } from '#contract/execution.ts'
import { madeOnce } from './made-once.ts'
import type { Database, Tx } from './pool.ts'
import { executions, sessions } from './schema.ts'

/** An execution with what only we need to know of it. */
export type ExecutionRow = typeof executions.$inferSelect

/** As those see it who may. */
export const asExecution = (row: ExecutionRow): Execution => ({
  ...asExecutionOnBoard(row),
  args: row.args,
  prompt: row.prompt,
  files: row.files,
})

/** As everybody sees it who reads the board. */
export function asExecutionOnBoard(row: ExecutionRow): ExecutionOnBoard {
  return {
    id: row.id,
    sessionId: row.sessionId,
    taskId: row.taskId,
    agentId: row.agentId,
    agentName: row.agentName,
    capabilityId: row.capabilityId,
    capabilityKey: row.capabilityKey,
    machineId: row.machineId,
    workspaceId: row.workspaceId,
    status: row.status,
    exitCode: row.exitCode,
    signal: row.signal,
    error: row.error,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    workerId: row.workerId,
    pid: row.pid,
    sessionRef: row.sessionRef,
    tmuxSession: row.tmuxSession,
    logBytes: row.logBytes,
    logLines: row.logLines,
    parentExecutionId: row.parentExecutionId,
    usage: row.usage,
    costUsd: row.costUsd,
    waitingApprovals: row.waitingApprovals,
    stalledSince: row.stalledSince?.toISOString() ?? null,
    unreachableSince: row.unreachableSince?.toISOString() ?? null,
    changes: row.changes,
  }
}

const selectExecution = madeOnce('find_execution', (db) =>
  db
    .select()
    .from(executions)
    .where(eq(executions.id, sql.placeholder('id'))),
)

export async function findExecution(db: Database | Tx, id: string): Promise<ExecutionRow | undefined> {
  const [row] = await selectExecution(db, { id })
  return row
}

/** As it is, and as it stays until this transaction ends. Executions are never deleted. */
export async function lockExecution(tx: Tx, id: string): Promise<ExecutionRow> {
  const [row] = await tx.select().from(executions).where(eq(executions.id, id)).for('update')
  if (!row) throw new Error(`Execution ${id} is gone`)
  return row
}

const written = [
  'id',
  'sessionId',
  'taskId',
  'agentId',
  'agentName',
  'capabilityId',
  'capabilityKey',
  'machineId',
  'workspaceId',
  'queue',
  'priority',
  'status',
  'args',
  'prompt',
  'files',
  'sessionRef',
  'fork',
  'parentExecutionId',
  'depth',
  'waitingApprovals',
  'createdBy',
] as const
type NewExecution = Pick<ExecutionRow, (typeof written)[number]>

const insertOne = madeOnce('insert_execution', (db) => {
  const given = Object.fromEntries(written.map((name) => [name, sql.placeholder(name)])) as unknown
  const lastSeq = sql`(select last_seq from streams where id = ${sql.placeholder('sessionId')})`
  return db
    .insert(executions)
    .values({ ...(given as NewExecution), firstSeq: sql`${lastSeq} - ${sql.placeholder('said')}::int` })
    .returning()
})

/** Its stream has the event that it was asked for, and `said` others after that one. */
export async function insertExecution(tx: Tx, row: NewExecution, said: number): Promise<ExecutionRow> {
  const [inserted] = await insertOne(tx, { ...row, said })
  if (!inserted) throw new Error('An inserted execution was not returned')
  return inserted
}

/** Newest first. With `createdBy` only those in sessions that this principal opened. */
export async function listExecutions(
  db: Database,
  { page, pageSize, taskId, agentId, sessionId, status }: ExecutionQuery,
  createdBy?: string,
): Promise<{ data: Execution[]; total: number }> {
  const fits = and(
    taskId ? eq(executions.taskId, taskId) : undefined,
    agentId ? eq(executions.agentId, agentId) : undefined,
    sessionId ? eq(executions.sessionId, sessionId) : undefined,
    status ? eq(executions.status, status) : undefined,
    createdBy ? eq(sessions.createdBy, createdBy) : undefined,
  )
  const [counted] = await db
    .select({ total: count() })
    .from(executions)
    .innerJoin(sessions, eq(sessions.id, executions.sessionId))
    .where(fits)
  const rows = await db
    .select(getTableColumns(executions))
    .from(executions)
    .innerJoin(sessions, eq(sessions.id, executions.sessionId))
    .where(fits)
    .orderBy(desc(executions.id))
    .limit(pageSize)
    .offset((page - 1) * pageSize)
  return { data: rows.map(asExecution), total: counted?.total ?? 0 }
}

export async function countLive(tx: Tx, agentId: string): Promise<number> {
  return tx.$count(executions, and(eq(executions.agentId, agentId), isNull(executions.endedAt)))
}

/** Writes what has changed, if it is still in one of these states; answers with nothing otherwise. */
export async function changeExecution(
  tx: Tx,
  id: string,
  from: ExecutionRow['status'][],
  change: Partial<ExecutionRow>,
): Promise<ExecutionRow | undefined> {
  const [row] = await tx
    .update(executions)
    .set(change)
    .where(and(eq(executions.id, id), inArray(executions.status, from)))
    .returning()
  return row
}

/** Of one that is over. */
export async function noteChangesOf(tx: Tx, id: string, changes: Changes): Promise<ExecutionRow | undefined> {
  const [row] = await tx
    .update(executions)
    .set({ changes })
    .where(and(eq(executions.id, id), isNotNull(executions.endedAt)))
    .returning()
  return row
}
