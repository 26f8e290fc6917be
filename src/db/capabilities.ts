import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Capability } from '#contract/capability.ts'
import { madeOnce } from './made-once.ts'
import type { Database, Tx } from './pool.ts'
import { capabilities, executions } from './schema.ts'

type Row = typeof capabilities.$inferSelect
type NewCapability = typeof capabilities.$inferInsert
type CapabilityChanges = { [Field in keyof NewCapability]?: NewCapability[Field] | undefined }

export const asCapability = (row: Row): Capability => ({ ...row, createdAt: row.createdAt.toISOString() })

export async function listCapabilities(db: Database | Tx, agentId: string): Promise<Capability[]> {
  const rows = await db
    .select()
    .from(capabilities)
    .where(eq(capabilities.agentId, agentId))
    .orderBy(asc(capabilities.key))
  return rows.map(asCapability)
}

const selectCapability = madeOnce('find_capability', (db) =>
  db
    .select()
    .from(capabilities)
    .where(eq(capabilities.id, sql.placeholder('id'))),
)

export async function findCapability(db: Database | Tx, id: string): Promise<Capability | undefined> {
  const [row] = await selectCapability(db, { id })
  return row && asCapability(row)
}

/** The ways in which an agent can be asked in words. */
export async function promptCapabilitiesOf(
  tx: Tx,
  agentId: string,
): Promise<Pick<Capability, 'id' | 'key'>[]> {
  return tx
    .select({ id: capabilities.id, key: capabilities.key })
    .from(capabilities)
    .where(and(eq(capabilities.agentId, agentId), eq(capabilities.interactionMode, 'prompt')))
    .orderBy(asc(capabilities.key))
}

/** Returns nothing when the agent has another one with this key. */
export async function insertCapability(tx: Tx, capability: NewCapability): Promise<Capability | undefined> {
  const [row] = await tx.insert(capabilities).values(capability).onConflictDoNothing().returning()
  return row && asCapability(row)
}

/** Many at once; the agent has no others with these keys. */
export async function insertCapabilities(tx: Tx, many: readonly NewCapability[]): Promise<void> {
  if (many.length > 0)
    await tx
      .insert(capabilities)
      .values([...many])
      .onConflictDoNothing()
}

export async function isKeyTaken(tx: Tx, agentId: string, key: string): Promise<boolean> {
  return (
    (await tx.$count(capabilities, and(eq(capabilities.agentId, agentId), eq(capabilities.key, key)))) > 0
  )
}

export async function updateCapability(tx: Tx, id: string, changes: CapabilityChanges): Promise<Capability> {
  const [row] = await tx.update(capabilities).set(changes).where(eq(capabilities.id, id)).returning()
  if (!row) throw new Error(`Capability ${id} is gone although its agent was locked`)
  return asCapability(row)
}

export async function deleteCapability(tx: Tx, id: string): Promise<void> {
  await tx.delete(capabilities).where(eq(capabilities.id, id))
}

export async function countLiveOf(tx: Tx, capabilityId: string): Promise<number> {
  return tx.$count(executions, and(eq(executions.capabilityId, capabilityId), isNull(executions.endedAt)))
}
