import { and, asc, eq, inArray, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm'
import type { Database } from './pool.ts'
import { executions, workspaces } from './schema.ts'
import type { WorkspaceRow } from './workspaces.ts'

// What the janitor of a machine reads and writes. Postgres's clock says what is old.

const here = (machineId: string) => and(eq(workspaces.machineId, machineId), isNull(workspaces.forgottenAt))
const ago = (ms: number) => sql`now() - ${ms} * interval '1 millisecond'`
/** Not a folder of the user's own. */
const isOurs = or(ne(workspaces.driver, 'folder'), isNotNull(workspaces.parentId))

export async function workspacesInState(
  db: Database,
  machineId: string,
  state: WorkspaceRow['state'],
): Promise<WorkspaceRow[]> {
  return db
    .select()
    .from(workspaces)
    .where(and(here(machineId), eq(workspaces.state, state)))
}

/** In the trash for longer than this. */
export async function trashedFor(db: Database, machineId: string, ms: number): Promise<WorkspaceRow[]> {
  return db
    .select()
    .from(workspaces)
    .where(and(here(machineId), eq(workspaces.state, 'trashed'), lt(workspaces.trashedAt, ago(ms))))
    .limit(100)
}

/** Notes that these were used just now, and all in which something runs. */
export async function noteUse(db: Database, machineId: string, used: readonly string[]): Promise<void> {
  const busy = db
    .select({ id: executions.workspaceId })
    .from(executions)
    .where(and(eq(executions.machineId, machineId), isNull(executions.endedAt)))
  const isUsed = or(
    inArray(workspaces.id, busy),
    used.length > 0 ? inArray(workspaces.id, [...used]) : sql`false`,
  )
  await db
    .update(workspaces)
    .set({ usedAt: sql`now()` })
    .where(and(here(machineId), isUsed))
}

/** Those whose size is not known, or was measured a while ago and before they were last used; the oldest first. */
export async function toMeasure(
  db: Database,
  machineId: string,
  { everyMs, most }: { everyMs: number; most: number },
): Promise<WorkspaceRow[]> {
  const isOld = sql`${workspaces.diskMeasuredAt} < ${ago(everyMs)} and coalesce(${workspaces.usedAt} > ${workspaces.diskMeasuredAt}, false)`
  return db
    .select()
    .from(workspaces)
    .where(
      and(
        here(machineId),
        isOurs,
        eq(workspaces.state, 'ready'),
        sql`(${workspaces.diskMeasuredAt} is null or ${isOld})`,
      ),
    )
    .orderBy(sql`${asc(workspaces.diskMeasuredAt)} nulls first`)
    .limit(most)
}

export async function noteDiskBytes(db: Database, id: string, diskBytes: number | null): Promise<void> {
  await db
    .update(workspaces)
    .set({ diskBytes, diskMeasuredAt: sql`now()` })
    .where(eq(workspaces.id, id))
}
