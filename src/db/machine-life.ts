import { sql } from 'drizzle-orm'
import type { WorkerReport } from '#contract/machine.ts'
import type { Database, Tx } from './pool.ts'
import { executions, machines } from './schema.ts'

// What a worker writes of its machine. Postgres's clock is the only one that is asked.

export interface Registration {
  id: string
  name: string
  workerId: string
  url: string
}

export async function registerMachine(db: Database, machine: Registration): Promise<void> {
  const now = { seenAt: sql`now()`, startedAt: sql`now()`, stoppedAt: null }
  await db
    .insert(machines)
    .values(machine)
    .onConflictDoUpdate({ target: machines.id, set: { ...machine, ...now } })
}

export async function beat(db: Database, id: string, report: WorkerReport): Promise<void> {
  await db.execute(sql`
    update machines set seen_at = now(), stopped_at = null, report = ${JSON.stringify(report)}::json where id = ${id}`)
}

export async function sayGoodbye(db: Database, id: string): Promise<void> {
  await db.execute(sql`update machines set seen_at = now(), stopped_at = now() where id = ${id}`)
}

export async function isMachineStale(db: Database, id: string, staleAfterMs: number): Promise<boolean> {
  const { rows } = await db.execute(sql`
    select 1 from machines where id = ${id} and stopped_at is null
      and seen_at > now() - ${staleAfterMs} * interval '1 millisecond'`)
  return rows.length === 0
}

interface Away {
  id: string
  sessionId: string
  /** Away for so long that nobody waits any longer. */
  lost: boolean
}

/** Started executions of machines that have been silent, and of which that is news. */
export async function executionsOutOfReach(
  db: Database,
  { staleAfterMs, lostAfterMs }: { staleAfterMs: number; lostAfterMs: number },
): Promise<Away[]> {
  const silentFor = (ms: number) => sql`m.seen_at < now() - ${ms} * interval '1 millisecond'`
  const { rows } = await db.execute(sql`
    select e.id, e.session_id as "sessionId", ${silentFor(lostAfterMs)} as lost
    from executions e join machines m on m.id = e.machine_id
    where e.ended_at is null and e.status <> 'queued'
      and (e.unreachable_since is null and ${silentFor(staleAfterMs)} or ${silentFor(lostAfterMs)})
    limit 100`)
  return rows as unknown as Away[]
}

/** Marks it, with the time of the last sign of life. Answers with whether its machine is still silent. */
export async function markOutOfReach(tx: Tx, id: string, staleAfterMs: number): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`
    update executions e set unreachable_since = m.seen_at from machines m
    where e.id = ${id} and m.id = e.machine_id and e.ended_at is null and e.unreachable_since is null
      and m.seen_at < now() - ${staleAfterMs} * interval '1 millisecond'`)
  return rowCount === 1
}

export async function markWithinReach(tx: Tx, machineId: string): Promise<string[]> {
  const rows = await tx
    .update(executions)
    .set({ unreachableSince: null })
    .where(
      sql`${executions.machineId} = ${machineId} and ${executions.unreachableSince} is not null and ${executions.endedAt} is null`,
    )
    .returning({ id: executions.id })
  return rows.map(({ id }) => id)
}
