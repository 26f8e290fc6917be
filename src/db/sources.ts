import { asc, eq, inArray } from 'drizzle-orm'
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

/** Two flows about the same sources come one after the other. Those that are gone are left out. */
export async function lockSources(tx: Tx, names: readonly string[]): Promise<SourceRow[]> {
  const isNamed = inArray(sources.name, [...names])
  return tx.select().from(sources).where(isNamed).orderBy(asc(sources.name)).for('update')
}

/** Returns nothing when the name is taken. */
export async function insertSource(tx: Tx, source: NewSource): Promise<SourceRow | undefined> {
  const [row] = await insertSources(tx, [source])
  return row
}

/** A statement takes so many values only. */
const mostAtOnce = 500

/** Leaves out those whose names are taken. */
export async function insertSources(tx: Tx, wanted: readonly NewSource[]): Promise<SourceRow[]> {
  const rows: SourceRow[] = []
  for (let from = 0; from < wanted.length; from += mostAtOnce) {
    const some = wanted.slice(from, from + mostAtOnce)
    const inserted = await tx
      .insert(sources)
      .values(some)
      .onConflictDoNothing({ target: sources.name })
      .returning()
    rows.push(...inserted)
  }
  return rows
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

/** What was accepted of them, and who let us in there, goes with them. */
export async function deleteSources(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.delete(sources).where(inArray(sources.id, [...ids]))
}
