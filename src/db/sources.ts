import { asc, eq } from 'drizzle-orm'
import type { Source, SourceConfig } from '#contract/source.ts'
import type { Database, Tx } from './pool.ts'
import { sources } from './schema.ts'

/** As it is kept: secrets are sealed in `secrets`, and only said to be there in `config`. */
export type SourceRow = typeof sources.$inferSelect
type NewSource = typeof sources.$inferInsert

export const asSource = ({ secrets: _secrets, ...row }: SourceRow): Source => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  health: null,
})

export async function listSources(db: Database | Tx, machineId?: string): Promise<SourceRow[]> {
  const ofMachine = machineId === undefined ? undefined : eq(sources.machineId, machineId)
  return db.select().from(sources).where(ofMachine).orderBy(asc(sources.name))
}

/** The machines that have any. */
export async function sourceMachines(db: Database): Promise<string[]> {
  const rows = await db.selectDistinct({ id: sources.machineId }).from(sources)
  return rows.map(({ id }) => id)
}

export async function findSource(db: Database | Tx, name: string): Promise<SourceRow | undefined> {
  const [row] = await db.select().from(sources).where(eq(sources.name, name))
  return row
}

export async function findSourceById(db: Database, id: string): Promise<SourceRow | undefined> {
  const [row] = await db.select().from(sources).where(eq(sources.id, id))
  return row
}

/** Two flows about the same source come one after the other. */
export async function lockSource(tx: Tx, name: string): Promise<SourceRow | undefined> {
  const [row] = await tx.select().from(sources).where(eq(sources.name, name)).for('update')
  return row
}

/** Returns nothing when the name is taken. */
export async function insertSource(tx: Tx, source: NewSource): Promise<SourceRow | undefined> {
  const [row] = await tx
    .insert(sources)
    .values(source)
    .onConflictDoNothing({ target: sources.name })
    .returning()
  return row
}

export async function updateSource(
  tx: Tx,
  id: string,
  changes: { config: SourceConfig; secrets?: Buffer | null },
): Promise<SourceRow> {
  const [row] = await tx
    .update(sources)
    .set({ ...changes, updatedAt: new Date() })
    .where(eq(sources.id, id))
    .returning()
  if (!row) throw new Error(`Source ${id} is gone although it was locked`)
  return row
}

/** What was accepted of it, and who let us in there, goes with it. */
export async function deleteSource(tx: Tx, id: string): Promise<void> {
  await tx.delete(sources).where(eq(sources.id, id))
}
