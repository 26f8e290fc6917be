import { and, eq, gt, lte, sql } from 'drizzle-orm'
import type { Database, Tx } from './pool.ts'
import { sourceAuthorizations, sourceGrants, sources } from './schema.ts'

export async function findGrant(
  db: Database,
  sourceId: string,
  principalId: string,
): Promise<Buffer | undefined> {
  const [row] = await db
    .select({ secrets: sourceGrants.secrets })
    .from(sourceGrants)
    .where(whose(sourceId, principalId))
  return row?.secrets
}

export async function putGrant(db: Database, grant: typeof sourceGrants.$inferInsert): Promise<void> {
  const { secrets, expiresAt } = grant
  await db
    .insert(sourceGrants)
    .values(grant)
    .onConflictDoUpdate({
      target: [sourceGrants.sourceId, sourceGrants.principalId],
      set: { secrets, expiresAt, updatedAt: sql`now()` },
    })
}

export async function deleteGrant(db: Database, sourceId: string, principalId: string): Promise<void> {
  await db.delete(sourceGrants).where(whose(sourceId, principalId))
}

/** Of somebody who is no user any more. */
export async function deleteGrantsOf(tx: Tx, principalId: string): Promise<void> {
  await tx.delete(sourceGrants).where(eq(sourceGrants.principalId, principalId))
  await tx.delete(sourceAuthorizations).where(eq(sourceAuthorizations.principalId, principalId))
}

export type Departure = Omit<typeof sourceAuthorizations.$inferInsert, 'expiresAt'>

export async function insertDeparture(db: Database, departure: Departure, lifeMs: number): Promise<Date> {
  const [row] = await db
    .insert(sourceAuthorizations)
    .values({ ...departure, expiresAt: sql`now() + ${lifeMs} * interval '1 millisecond'` })
    .returning({ expiresAt: sourceAuthorizations.expiresAt })
  if (!row) throw new Error('An inserted authorization was not returned')
  return row.expiresAt
}

/** Takes it away and says whose it was: one statement, so that of many who try at once one gets it. */
export async function takeDeparture(
  db: Database,
  stateHash: Buffer,
): Promise<typeof sourceAuthorizations.$inferSelect | undefined> {
  const [row] = await db
    .delete(sourceAuthorizations)
    .where(and(eq(sourceAuthorizations.stateHash, stateHash), isLive))
    .returning()
  return row
}

/** Which machine waits for somebody. Only looks: the machine itself takes it. */
export async function machineOfDeparture(db: Database, stateHash: Buffer): Promise<string | undefined> {
  const [row] = await db
    .select({ machineId: sources.machineId })
    .from(sourceAuthorizations)
    .innerJoin(sources, eq(sources.id, sourceAuthorizations.sourceId))
    .where(and(eq(sourceAuthorizations.stateHash, stateHash), isLive))
  return row?.machineId
}

export async function sweepDepartures(db: Database): Promise<void> {
  await db.delete(sourceAuthorizations).where(lte(sourceAuthorizations.expiresAt, sql`now()`))
}

const isLive = gt(sourceAuthorizations.expiresAt, sql`now()`)

const whose = (sourceId: string, principalId: string) =>
  and(eq(sourceGrants.sourceId, sourceId), eq(sourceGrants.principalId, principalId))
