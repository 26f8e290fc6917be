import { and, count, desc, eq, getTableColumns, isNull, ne, sql } from 'drizzle-orm'
import type { Workspace, WorkspaceQuery, WorkspaceSource } from '#contract/workspace.ts'
import { redactText } from '#lib/redact.ts'
import type { Database } from './pool.ts'
import { sessions, workspaces } from './schema.ts'

/** What its machine said last: whether a keeper serves it. */
const running = sql<boolean>`exists (
  select 1 from machines m, json_array_elements_text(m.report->'workspaces') as served
  where m.id = workspaces.machine_id and m.stopped_at is null and served = workspaces.id::text)`

const {
  snapshot: _snapshot,
  diskMeasuredAt: _measured,
  forgottenAt: _forgotten,
  ...told
} = getTableColumns(workspaces)
const shown = { ...told, running }

type Row = Omit<Workspace, 'createdAt' | 'usedAt' | 'trashedAt'> &
  Record<'usedAt' | 'trashedAt', Date | null> & { createdAt: Date }

const asWorkspace = (row: Row): Workspace => ({
  ...row,
  source: shownSource(row.source),
  createdAt: row.createdAt.toISOString(),
  usedAt: row.usedAt?.toISOString() ?? null,
  trashedAt: row.trashedAt?.toISOString() ?? null,
})

/** As people may see it and the audit keeps it. No secret should have come this far; should one have, it stays here. */
export function shownSource(source: WorkspaceSource | null): WorkspaceSource | null {
  if (!source || !('git' in source)) return source
  return { ...source, git: redactText(source.git.replace(/^(https?:\/\/)[^/]*@/i, '$1')) }
}

export async function readWorkspace(db: Database, id: string): Promise<Workspace | undefined> {
  const [row] = await db.select(shown).from(workspaces).where(eq(workspaces.id, id))
  return row && asWorkspace(row)
}

/** Newest first. With `createdBy` only those in which this principal has a session. */
export async function listWorkspaces(
  db: Database,
  { page, pageSize, machineId, parentId, driver, trashed }: WorkspaceQuery,
  createdBy?: string,
): Promise<{ data: Workspace[]; total: number }> {
  const isTheirs = sql`exists (
    select 1 from ${sessions} s where s.workspace_id = workspaces.id and s.created_by = ${createdBy})`
  const fits = and(
    machineId ? eq(workspaces.machineId, machineId) : undefined,
    parentId ? eq(workspaces.parentId, parentId) : undefined,
    driver ? eq(workspaces.driver, driver) : undefined,
    trashed === 'true' ? eq(workspaces.state, 'trashed') : ne(workspaces.state, 'trashed'),
    isNull(workspaces.forgottenAt),
    createdBy === undefined ? undefined : isTheirs,
  )
  const [[counted], rows] = await Promise.all([
    db.select({ total: count() }).from(workspaces).where(fits),
    db
      .select(shown)
      .from(workspaces)
      .where(fits)
      .orderBy(desc(workspaces.id))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
  ])
  return { data: rows.map(asWorkspace), total: counted?.total ?? 0 }
}
