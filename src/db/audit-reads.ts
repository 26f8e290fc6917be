import { and, count, desc, eq, gte, lt, or, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { AuditEntry, AuditFilter, AuditQuery } from '#contract/audit.ts'
import type { Database } from './pool.ts'
import { audit, sessions } from './schema.ts'

/** Newest first. With `createdBy` only what happened in sessions that this principal opened. */
export async function listAudit(
  db: Database,
  { page, pageSize, ...filter }: AuditQuery,
  createdBy?: string,
): Promise<{ data: AuditEntry[]; total: number }> {
  const fits = fitting(filter, createdBy)
  const [[counted], rows] = await Promise.all([
    db.select({ total: count() }).from(audit).where(fits),
    db
      .select()
      .from(audit)
      .where(fits)
      .orderBy(desc(audit.id))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
  ])
  return { data: rows.map(asEntry), total: counted?.total ?? 0 }
}

/** All of it in parts, newest first: what is noted meanwhile is not among it, and none is there twice. */
export async function* readAudit(
  db: Database,
  filter: AuditFilter,
  createdBy?: string,
  partSize = 1_000,
): AsyncGenerator<AuditEntry[]> {
  const fits = fitting(filter, createdBy)
  let below: number | undefined
  for (;;) {
    const rows = await db
      .select()
      .from(audit)
      .where(and(fits, below === undefined ? undefined : lt(audit.id, below)))
      .orderBy(desc(audit.id))
      .limit(partSize)
    if (rows.length > 0) yield rows.map(asEntry)
    below = rows.at(-1)?.id
    if (rows.length < partSize) return
  }
}

function fitting(filter: AuditFilter, createdBy: string | undefined): SQL | undefined {
  const { kind, workspaceId, sessionId, outcome, actor, q, from, until } = filter
  const isTheirs = sql`exists (select 1 from ${sessions} s where s.id = ${audit.sessionId} and s.created_by = ${createdBy})`
  return and(
    kind ? eq(audit.kind, kind) : undefined,
    workspaceId ? eq(audit.workspaceId, workspaceId) : undefined,
    sessionId ? eq(audit.sessionId, sessionId) : undefined,
    outcome ? eq(audit.outcome, outcome) : undefined,
    actor ? eq(audit.actor, actor) : undefined,
    from ? gte(audit.at, new Date(from)) : undefined,
    until ? lt(audit.at, new Date(until)) : undefined,
    ...wordsOf(q).map(mentions),
    createdBy === undefined ? undefined : isTheirs,
  )
}

const wordsOf = (q = ''): string[] => q.split(/\s+/).filter(Boolean)

function mentions(word: string): SQL | undefined {
  const pattern = `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`
  return or(
    sql`${audit.subject} ilike ${pattern}`,
    sql`${audit.actor} ilike ${pattern}`,
    sql`${audit.detail}::text ilike ${pattern}`,
  )
}

function asEntry(row: typeof audit.$inferSelect): AuditEntry {
  const { keeperId: _keeper, keeperOffset: _offset, ...told } = row
  return { ...told, at: row.at.toISOString() }
}
