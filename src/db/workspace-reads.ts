import { and, count, desc, eq, getTableColumns, isNull, ne, sql } from 'drizzle-orm'
import type { MachineDisk, Workspace, WorkspaceQuery, WorkspaceSource } from '#contract/workspace.ts'
import type { SQL } from 'drizzle-orm'
import { redactText } from '#lib/redact.ts'
import type { Database } from './pool.ts'
import { executions, sessions, workspaces } from './schema.ts'

/** What its machine said last: whether a keeper serves it. */
const running = sql<boolean>`exists (
  select 1 from machines m, json_array_elements_text(m.report->'workspaces') as served
  where m.id = workspaces.machine_id and m.stopped_at is null and served = workspaces.id::text)`

const { snapshot: _snapshot, forgottenAt: _forgotten, ...told } = getTableColumns(workspaces)

/** With `createdBy` only what this principal may see is counted. */
function shownTo(createdBy: string | undefined) {
  const isTheirs = createdBy === undefined ? sql`true` : sql`s.created_by = ${createdBy}`
  return {
    ...told,
    running,
    sessions: sql<number>`(
      select count(*)::int from ${sessions} s
      where s.workspace_id = workspaces.id and s.trashed_at is null and ${isTheirs})`,
    live: sql<number>`(
      select count(*)::int from ${executions} e join ${sessions} s on s.id = e.session_id
      where e.workspace_id = workspaces.id and e.ended_at is null and ${isTheirs})`,
  }
}

type Moments = 'usedAt' | 'trashedAt' | 'diskMeasuredAt'
type Row = Omit<Workspace, 'createdAt' | Moments> & Record<Moments, Date | null> & { createdAt: Date }

const asWorkspace = (row: Row): Workspace => ({
  ...row,
  source: shownSource(row.source),
  createdAt: row.createdAt.toISOString(),
  usedAt: row.usedAt?.toISOString() ?? null,
  trashedAt: row.trashedAt?.toISOString() ?? null,
  diskMeasuredAt: row.diskMeasuredAt?.toISOString() ?? null,
})

/** As people may see it and the audit keeps it. No secret should have come this far; should one have, it stays here. */
export function shownSource(source: WorkspaceSource | null): WorkspaceSource | null {
  if (!source || !('git' in source)) return source
  return { ...source, git: redactText(source.git.replace(/^(https?:\/\/)[^/]*@/i, '$1')) }
}

export async function readWorkspace(
  db: Database,
  id: string,
  createdBy?: string,
): Promise<Workspace | undefined> {
  const [row] = await db.select(shownTo(createdBy)).from(workspaces).where(eq(workspaces.id, id))
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
      .select(shownTo(createdBy))
      .from(workspaces)
      .where(fits)
      .orderBy(desc(workspaces.id))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
  ])
  return { data: rows.map(asWorkspace), total: counted?.total ?? 0 }
}

export type DiskSums = Pick<MachineDisk, 'workspaces' | 'trash' | 'unmeasured'>

/** Summed up by machine. Folders of the user's own are theirs, and not counted. */
export async function sumDisk(db: Database): Promise<Map<string, DiskSums>> {
  const isOurs = sql`(${workspaces.driver} <> 'folder' or ${workspaces.parentId} is not null)`
  const sum = (isCounted: SQL) =>
    sql<number>`coalesce(sum(${workspaces.diskBytes}) filter (where ${isCounted}), 0)`.mapWith(Number)
  const rows = await db
    .select({
      machineId: workspaces.machineId,
      workspaces: sum(ne(workspaces.state, 'trashed')),
      trash: sum(eq(workspaces.state, 'trashed')),
      unmeasured: sql<number>`count(*) filter (where ${workspaces.diskBytes} is null and ${workspaces.state} = 'ready')`,
    })
    .from(workspaces)
    .where(and(isNull(workspaces.forgottenAt), isOurs))
    .groupBy(workspaces.machineId)
  return new Map(rows.map(({ machineId, ...sums }) => [machineId, sums]))
}
