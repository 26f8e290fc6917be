import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { WorkspaceOnBoard } from '#contract/workspace.ts'
import { nameOnBoard } from '#domain/workspace.ts'
import { newId } from '#lib/id.ts'
import { madeOnce } from './made-once.ts'
import type { Database, Tx } from './pool.ts'
import { executions, sessions, workspaces } from './schema.ts'

/** A workspace with what only we need to know of it. */
export type WorkspaceRow = typeof workspaces.$inferSelect

export const asWorkspaceOnBoard = (row: WorkspaceRow): WorkspaceOnBoard => ({
  id: row.id,
  name: nameOnBoard(row),
  machineId: row.machineId,
  driver: row.driver,
  parentId: row.parentId,
  sessionId: row.sessionId,
  state: row.state,
})

const selectWorkspace = madeOnce('find_workspace', (db) =>
  db
    .select()
    .from(workspaces)
    .where(eq(workspaces.id, sql.placeholder('id'))),
)

export async function findWorkspace(db: Database | Tx, id: string): Promise<WorkspaceRow | undefined> {
  const [row] = await selectWorkspace(db, { id })
  return row
}

/** As it is, and as it stays until this transaction ends. */
export async function lockWorkspace(tx: Tx, id: string): Promise<WorkspaceRow | undefined> {
  const [row] = await tx.select().from(workspaces).where(eq(workspaces.id, id)).for('update')
  return row
}

export async function insertWorkspace(tx: Tx, row: typeof workspaces.$inferInsert): Promise<WorkspaceRow> {
  const [inserted] = await tx.insert(workspaces).values(row).returning()
  if (!inserted) throw new Error('An inserted workspace was not returned')
  return inserted
}

export type WorkspaceChanges = { [Field in keyof WorkspaceRow]?: WorkspaceRow[Field] | undefined }

export async function updateWorkspace(tx: Tx, id: string, changes: WorkspaceChanges): Promise<WorkspaceRow> {
  const [row] = await tx
    .update(workspaces)
    .set({ ...changes, id })
    .where(eq(workspaces.id, id))
    .returning()
  if (!row) throw new Error(`Workspace ${id} is gone`)
  return row
}

/**
 * The workspace of a folder, made when it is first worked in. One folder is one workspace, whoever asks first; one that was
 * forgotten is known again, since its files never went away.
 */
export async function folderWorkspace(tx: Tx, machineId: string, root: string): Promise<WorkspaceRow> {
  const isIt = isFolder(machineId, root)
  const [known] = await tx.select().from(workspaces).where(isIt)
  if (known?.state === 'trashed')
    return updateWorkspace(tx, known.id, { state: 'ready', trashedAt: null, forgottenAt: null })
  if (known) return known
  await tx
    .insert(workspaces)
    .values({ id: newId(), machineId, driver: 'folder', root, name: root })
    .onConflictDoNothing()
  const [made] = await tx.select().from(workspaces).where(isIt)
  if (!made) throw new Error(`The workspace of ${root} was made and is not there`)
  return made
}

const isFolder = (machineId: string, root: string) =>
  and(
    eq(workspaces.machineId, machineId),
    eq(workspaces.root, root),
    eq(workspaces.driver, 'folder'),
    isNull(workspaces.parentId),
  )

export async function findFolder(tx: Tx, machineId: string, root: string): Promise<WorkspaceRow | undefined> {
  const [row] = await tx.select().from(workspaces).where(isFolder(machineId, root)).for('update')
  return row
}

/** Those that the configuration has named so, of any driver. */
export function configuredAs(
  tx: Tx,
  { machineId, name, createdBy }: Pick<WorkspaceRow, 'machineId' | 'name' | 'createdBy'>,
): Promise<WorkspaceRow[]> {
  return tx
    .select()
    .from(workspaces)
    .where(
      and(
        eq(workspaces.machineId, machineId),
        eq(workspaces.name, name),
        eq(workspaces.createdBy, createdBy),
        isNull(workspaces.forgottenAt),
      ),
    )
    .for('update')
}

/** The worktree that was made for a session. */
export async function findWorktreeOf(tx: Tx, sessionId: string): Promise<WorkspaceRow | undefined> {
  const [row] = await tx.select().from(workspaces).where(eq(workspaces.sessionId, sessionId)).for('update')
  return row
}

/** All of a machine's of which something is left, in the trash too. */
export async function workspacesOf(db: Database | Tx, machineId: string): Promise<WorkspaceRow[]> {
  return db
    .select()
    .from(workspaces)
    .where(and(eq(workspaces.machineId, machineId), isNull(workspaces.forgottenAt)))
}

/** An execution that has not ended, or a session that a person has, in this workspace. */
export async function busyIn(
  tx: Database | Tx,
  workspaceId: string,
): Promise<{ executionId?: string; sessionId: string } | undefined> {
  const [live] = await tx
    .select({ executionId: executions.id, sessionId: executions.sessionId })
    .from(executions)
    .where(and(eq(executions.workspaceId, workspaceId), isNull(executions.endedAt)))
    .limit(1)
  if (live) return live
  const [taken] = await tx
    .select({ sessionId: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.workspaceId, workspaceId), isNotNull(sessions.takenOverAt)))
    .limit(1)
  return taken
}

/** Whether this principal has a session in it. */
export async function hasSessionIn(
  db: Database | Tx,
  workspaceId: string,
  createdBy: string,
): Promise<boolean> {
  const isTheirs = and(eq(sessions.workspaceId, workspaceId), eq(sessions.createdBy, createdBy))
  return (await db.$count(sessions, isTheirs)) > 0
}

/** Whether a turn of this session ran in it, or is to. */
export async function hasRunIn(db: Database | Tx, workspaceId: string, sessionId: string): Promise<boolean> {
  const isOne = and(eq(executions.workspaceId, workspaceId), eq(executions.sessionId, sessionId))
  return (await db.$count(executions, isOne)) > 0
}
