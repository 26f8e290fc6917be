import { and, eq, isNull } from 'drizzle-orm'
import type { WorkspaceOnBoard } from '#contract/workspace.ts'
import { newId } from '#lib/id.ts'
import type { Database, Tx } from './pool.ts'
import { workspaces } from './schema.ts'

/** A workspace with what only we need to know of it. */
export type WorkspaceRow = typeof workspaces.$inferSelect

export const asWorkspaceOnBoard = (row: WorkspaceRow): WorkspaceOnBoard => ({
  id: row.id,
  name: row.name,
  machineId: row.machineId,
  driver: row.driver,
  parentId: row.parentId,
  sessionId: row.sessionId,
  branch: row.branch,
  state: row.state,
  error: row.error,
})

export async function findWorkspace(db: Database | Tx, id: string): Promise<WorkspaceRow | undefined> {
  const [row] = await db.select().from(workspaces).where(eq(workspaces.id, id))
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

/** The workspace of a folder, made when it is first worked in. One folder is one workspace, whoever asks first. */
export async function folderWorkspace(tx: Tx, machineId: string, root: string): Promise<WorkspaceRow> {
  const isIt = and(
    eq(workspaces.machineId, machineId),
    eq(workspaces.root, root),
    eq(workspaces.driver, 'folder'),
    isNull(workspaces.parentId),
  )
  const [known] = await tx.select().from(workspaces).where(isIt)
  if (known) return known
  await tx
    .insert(workspaces)
    .values({ id: newId(), machineId, driver: 'folder', root, name: root })
    .onConflictDoNothing()
  const [made] = await tx.select().from(workspaces).where(isIt)
  if (!made) throw new Error(`The workspace of ${root} was made and is not there`)
  return made
}
