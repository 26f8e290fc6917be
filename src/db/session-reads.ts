import { and, count, desc, eq, getTableColumns, isNotNull, isNull, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { ExecutionStatus } from '#contract/execution.ts'
import type { Session, SessionQuery } from '#contract/session.ts'
import type { Database, Tx } from './pool.ts'
import { executions, sessions, streams } from './schema.ts'

const { historyFile: _file, historyMark: _mark, takenOverBy: _by, ...told } = getTableColumns(sessions)
const ofAll = (sum: SQL) => sql`(select ${sum} from ${executions} e where e.session_id = sessions.id)`
const tokens = (name: string) => sql`coalesce(sum((e.usage->>${sql.raw(`'${name}'`)})::bigint), 0)`

const shown = {
  ...told,
  lastActivityAt: streams.lastAt,
  status: sql<ExecutionStatus | null>`(
    select e.status from ${executions} e where e.session_id = sessions.id order by e.id desc limit 1)`,
  executions: sql<number>`(select count(*) from ${executions} e where e.session_id = sessions.id)`,
  waitingApprovals: sql<number>`${ofAll(sql`coalesce(sum(e.waiting_approvals), 0)::int`)}`,
  inputTokens: sql<number>`${ofAll(tokens('inputTokens'))}`.mapWith(Number),
  outputTokens: sql<number>`${ofAll(tokens('outputTokens'))}`.mapWith(Number),
  costUsd: sql<number>`${ofAll(sql`coalesce(sum(e.cost_usd), 0)`)}`,
}

const isItsStream = eq(streams.id, sessions.id)

type Row = Omit<
  Session,
  'createdAt' | 'lastActivityAt' | 'adoptedAt' | 'takenOverAt' | 'trashedAt' | 'usage'
> & {
  createdAt: Date
  lastActivityAt: Date
  adoptedAt: Date | null
  takenOverAt: Date | null
  trashedAt: Date | null
} & Session['usage']

function asSession({ inputTokens, outputTokens, costUsd, ...row }: Row): Session {
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    lastActivityAt: row.lastActivityAt.toISOString(),
    adoptedAt: row.adoptedAt?.toISOString() ?? null,
    takenOverAt: row.takenOverAt?.toISOString() ?? null,
    trashedAt: row.trashedAt?.toISOString() ?? null,
    usage: { inputTokens, outputTokens, costUsd },
  }
}

export async function findSessionCreator(db: Database | Tx, id: string): Promise<string | undefined> {
  const [row] = await db.select({ createdBy: sessions.createdBy }).from(sessions).where(eq(sessions.id, id))
  return row?.createdBy
}

export async function readSession(db: Database, id: string): Promise<Session | undefined> {
  const [row] = await db
    .select(shown)
    .from(sessions)
    .innerJoin(streams, isItsStream)
    .where(eq(sessions.id, id))
  return row && asSession(row)
}

/** Those first in which something happened last. With `createdBy` only those that this principal opened. */
export async function listSessions(
  db: Database,
  { page, pageSize, agentId, taskId, workspaceId, trashed }: SessionQuery,
  createdBy?: string,
): Promise<{ data: Session[]; total: number }> {
  const fits = and(
    agentId ? eq(sessions.agentId, agentId) : undefined,
    taskId ? eq(sessions.taskId, taskId) : undefined,
    workspaceId ? eq(sessions.workspaceId, workspaceId) : undefined,
    trashed === 'true' ? isNotNull(sessions.trashedAt) : isNull(sessions.trashedAt),
    createdBy === undefined ? undefined : eq(sessions.createdBy, createdBy),
  )
  const [[counted], rows] = await Promise.all([
    db.select({ total: count() }).from(sessions).where(fits),
    db
      .select(shown)
      .from(sessions)
      .innerJoin(streams, isItsStream)
      .where(fits)
      .orderBy(desc(streams.lastAt), desc(sessions.id))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
  ])
  return { data: rows.map(asSession), total: counted?.total ?? 0 }
}
