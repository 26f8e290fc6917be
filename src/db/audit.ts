import { eq, sql } from 'drizzle-orm'
import type { AuditEntry, AuditRecord } from '#contract/audit.ts'
import type { Database, Tx } from './pool.ts'
import { audit } from './schema.ts'

/** What is to be noted; it gets its number and its time here. */
export type AuditNote = Pick<AuditEntry, 'kind' | 'actor' | 'subject' | 'outcome'> &
  Partial<Pick<AuditEntry, 'workspaceId' | 'sessionId' | 'detail' | 'durationMs'>>

const columns = 'kind, actor, workspace_id, session_id, subject, outcome, detail, duration_ms'

// Most come alone, and somebody waits for each: what takes lists apart takes a tenth longer.
const insertOneText = `
  insert into audit (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`

const insertText = `
  insert into audit (${columns})
  select kind, actor, workspace_id, session_id, subject, outcome, detail::json, duration_ms
  from unnest($1::text[], $2::text[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::float8[])
    as note(${columns})
  returning id`

/** Several with one statement. Answers with their numbers, in their order. */
export async function noteAudits(db: Database | Tx, notes: readonly AuditNote[]): Promise<number[]> {
  const rows = notes.map(valuesOf)
  const [only] = rows
  const statement =
    only && rows.length === 1
      ? { name: 'note_audit', text: insertOneText, values: [...only] }
      : { name: 'note_audits', text: insertText, values: inColumns(rows) }
  const { rows: written } = await db.$client.query<{ id: number }>(statement)
  return written.map(({ id }) => id)
}

/** In the order of the columns. */
const valuesOf = (note: AuditNote) =>
  [
    note.kind,
    storable(note.actor),
    note.workspaceId ?? null,
    note.sessionId ?? null,
    storable(note.subject),
    note.outcome,
    JSON.stringify(note.detail ?? {}),
    note.durationMs ?? null,
  ] as const

const inColumns = (rows: readonly ReturnType<typeof valuesOf>[]) =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((column) => rows.map((row) => row[column]))

export async function noteAudit(db: Database | Tx, note: AuditNote): Promise<void> {
  await noteAudits(db, [note])
}

/** Says what became of something that was noted when it began. */
export async function amendAudit(
  db: Database | Tx,
  id: number,
  change: Pick<AuditEntry, 'outcome' | 'detail' | 'durationMs'>,
): Promise<void> {
  await db.update(audit).set(change).where(eq(audit.id, id))
}

/** How far the notes of a keeper were copied. */
export async function copiedAudit(db: Database, keeperId: string): Promise<number> {
  const [row] = await db
    .select({ last: sql<number>`coalesce(max(${audit.keeperOffset}), 0)`.mapWith(Number) })
    .from(audit)
    .where(eq(audit.keeperId, keeperId))
  return row?.last ?? 0
}

/** What a keeper noted, each line once, however often it is tried. */
export async function copyAudit(db: Database, keeperId: string, records: readonly AuditRecord[]) {
  if (records.length === 0) return
  const rows = records.map(({ offset, at, subject, ...record }) => ({
    ...record,
    at: new Date(at),
    subject: storable(subject),
    actor: keeperId,
    keeperId,
    keeperOffset: offset,
  }))
  await db.insert(audit).values(rows).onConflictDoNothing()
}

/** Removes the next of what is older. Answers with how many that were. */
export async function deleteAudit(db: Database, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.$client.query(
    `delete from audit where id in (select id from audit where at < $1 order by id limit $2)`,
    [before, limit],
  )
  return rowCount ?? 0
}

/** Postgres keeps no NUL and no half of a character; what is noted may come from inside walls, and is long as it likes. */
const storable = (text: string): string => text.slice(0, 1_000).toWellFormed().replaceAll('\0', '�')
