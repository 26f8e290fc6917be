import { and, eq, isNull } from 'drizzle-orm'
import { newId } from '#lib/id.ts'
import type { Database, Tx } from './pool.ts'
import { workspaces } from './schema.ts'

export type Workspace = typeof workspaces.$inferSelect

export async function findWorkspace(db: Database | Tx, id: string): Promise<Workspace | undefined> {
  const [row] = await db.select().from(workspaces).where(eq(workspaces.id, id))
  return row
}

/** The workspace of a folder, made when it is first worked in. One folder is one workspace, whoever asks first. */
export async function folderWorkspace(tx: Tx, machineId: string, root: string): Promise<Workspace> {
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
