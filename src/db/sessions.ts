import { isDeepStrictEqual } from 'node:util'
import { and, desc, eq, inArray, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import type { SessionFacts } from '#contract/agent-event.ts'
import type { Spent } from '#domain/turn.ts'
import type { ExecutionRow } from './executions.ts'
import { madeOnce } from './made-once.ts'
import type { Database, Tx } from './pool.ts'
import { executions, sessions, streams } from './schema.ts'

export type SessionRow = typeof sessions.$inferSelect

/** Opens a session together with its stream. */
export async function insertSession(tx: Tx, session: typeof sessions.$inferInsert): Promise<SessionRow> {
  await tx.insert(streams).values({ id: session.id })
  const [row] = await tx.insert(sessions).values(session).returning()
  if (!row) throw new Error('An inserted session was not returned')
  return row
}

type SessionChanges = { [Field in keyof SessionRow]?: SessionRow[Field] | undefined }

export async function updateSession(tx: Tx, id: string, changes: SessionChanges): Promise<void> {
  await tx
    .update(sessions)
    .set({ ...changes, id })
    .where(eq(sessions.id, id))
}

/** Which of these sessions of an agent's own are sessions of ours, by what the agent calls them. */
export async function findSessionsByRef(db: Database, refs: string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: sessions.id, sessionRef: sessions.sessionRef })
    .from(sessions)
    .where(and(inArray(sessions.sessionRef, refs), isNotNull(sessions.agentId)))
  return new Map(rows.flatMap(({ id, sessionRef }) => (sessionRef === null ? [] : [[sessionRef, id]])))
}

/** The session of ours that goes on in this session of an agent's own; one whose agent is gone does not go on. */
export async function findSessionByRef(
  db: Database | Tx,
  sessionRef: string,
): Promise<SessionRow | undefined> {
  const [row] = await db
    .select()
    .from(sessions)
    .where(and(eq(sessions.sessionRef, sessionRef), isNotNull(sessions.agentId)))
    .limit(1)
  return row
}

const selectSession = madeOnce('find_session', (db) =>
  db
    .select()
    .from(sessions)
    .where(eq(sessions.id, sql.placeholder('id'))),
)

export async function findSession(tx: Database | Tx, id: string): Promise<SessionRow | undefined> {
  const [row] = await selectSession(tx, { id })
  return row
}

/** The execution of a session that has not ended, if there is one. */
export async function liveExecutionIn(tx: Database | Tx, sessionId: string): Promise<string | undefined> {
  const [row] = await tx
    .select({ id: executions.id })
    .from(executions)
    .where(and(eq(executions.sessionId, sessionId), isNull(executions.endedAt)))
  return row?.id
}

const selectLatest = madeOnce('latest_execution_in', (db) =>
  db
    .select()
    .from(executions)
    .where(eq(executions.sessionId, sql.placeholder('sessionId')))
    .orderBy(desc(executions.firstSeq))
    .limit(1),
)

/** The execution that was asked for last, if one ever was. */
export async function latestExecutionIn(tx: Tx, sessionId: string): Promise<ExecutionRow | undefined> {
  const [row] = await selectLatest(tx, { sessionId })
  return row
}

/** The turn to which a place in the session's stream belongs, if it belongs to one. */
export async function turnAt(
  db: Database,
  sessionId: string,
  seq: number,
): Promise<{ firstSeq: number; endedAt: Date | null } | undefined> {
  const [row] = await db
    .select({ firstSeq: executions.firstSeq, endedAt: executions.endedAt })
    .from(executions)
    .where(and(eq(executions.sessionId, sessionId), lte(executions.firstSeq, seq)))
    .orderBy(desc(executions.firstSeq))
    .limit(1)
  return row
}

/** What its turns have used together. */
export async function spentIn(db: Database | Tx, id: string): Promise<Spent> {
  const { rows } = await db.$client.query<Spent>({
    name: 'spent_in',
    text: `select coalesce(sum(cost_usd), 0) as "costUsd",
        coalesce(sum((usage->>'inputTokens')::bigint + (usage->>'outputTokens')::bigint), 0)::float8 as tokens
      from executions where session_id = $1`,
    values: [id],
  })
  return rows[0] ?? { costUsd: 0, tokens: 0 }
}

/** What all turns that began today, by Postgres's clock in UTC, have cost together. */
export async function spentToday(db: Database | Tx): Promise<number> {
  const [row] = await db
    .select({ costUsd: sql<number>`coalesce(sum(cost_usd), 0)` })
    .from(executions)
    .where(sql`${executions.startedAt} >= date_trunc('day', now(), 'UTC')`)
  return row?.costUsd ?? 0
}

/** Whether an agent has been at work in it before. */
export async function hasBegun(db: Database | Tx, id: string): Promise<boolean> {
  return (await db.$count(executions, and(eq(executions.sessionId, id), isNotNull(executions.startedAt)))) > 0
}

/** What the agent tells of its session; what it does not tell stays as it was. */
export async function noteSessionFacts(tx: Tx, id: string, facts: SessionFacts): Promise<void> {
  const [row] = await tx
    .select({ facts: sessions.facts, sessionRef: sessions.sessionRef })
    .from(sessions)
    .where(eq(sessions.id, id))
  if (!row) return
  const { sessionRef = row.sessionRef } = facts
  const all = { ...row.facts, ...facts }
  // Most turns tell what is known.
  if (sessionRef === row.sessionRef && isDeepStrictEqual(all, row.facts)) return
  await tx.update(sessions).set({ facts: all, sessionRef }).where(eq(sessions.id, id))
}

/** Those of this machine that people have at present. */
export async function takenOverSessions(db: Database, machineId: string): Promise<SessionRow[]> {
  const isHere = sql`exists (select 1 from agents a where a.id = ${sessions.agentId} and a.machine_id = ${machineId})
    or exists (select 1 from workspaces w where w.id = ${sessions.workspaceId} and w.machine_id = ${machineId})`
  return db
    .select()
    .from(sessions)
    .where(and(isNotNull(sessions.takenOverAt), sql`(${isHere})`))
}
