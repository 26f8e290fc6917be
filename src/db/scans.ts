import { and, eq, lt, sql } from 'drizzle-orm'
import type { ScanProgress } from '#contract/discovery.ts'
import { DISCOVERY_STREAM } from '#contract/event.ts'
import { appendEvents } from './events.ts'
import type { Database, Tx } from './pool.ts'
import { events, scans } from './schema.ts'

/** How the last scan of a machine went, or how it goes; undefined before the first. */
export async function findScan(db: Database, machineId: string): Promise<ScanProgress | undefined> {
  const [row] = await db.select().from(scans).where(eq(scans.machineId, machineId))
  return row?.progress
}

/** Whether nobody has looked on this machine for so long, by Postgres's clock. */
export async function isScanOld(db: Database, machineId: string, olderThanMs: number): Promise<boolean> {
  const isFresh = sql`${scans.updatedAt} > now() - ${olderThanMs} * interval '1 millisecond'`
  return (await db.$count(scans, and(eq(scans.machineId, machineId), isFresh))) === 0
}

/** Written down, and told to whoever follows. */
export async function keepScan(tx: Tx, progress: ScanProgress): Promise<void> {
  await tx
    .insert(scans)
    .values({ machineId: progress.machineId, progress })
    .onConflictDoUpdate({ target: scans.machineId, set: { progress, updatedAt: sql`now()` } })
  await appendEvents(tx, DISCOVERY_STREAM, [{ type: 'scan', payload: progress }])
}

/** What was told of scans long ago: nobody comes back for it. */
export async function forgetOldScans(tx: Tx): Promise<void> {
  const isOld = lt(events.at, sql`now() - interval '1 day'`)
  await tx.delete(events).where(and(eq(events.streamId, DISCOVERY_STREAM), isOld))
}
