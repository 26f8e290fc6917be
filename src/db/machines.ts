import { asc, eq, sql } from 'drizzle-orm'
import type { WorkerStatus } from '#contract/machine.ts'
import type { Database } from './pool.ts'
import { machines } from './schema.ts'

export type Machine = Pick<typeof machines.$inferSelect, 'id' | 'name' | 'url'>

const shown = { id: machines.id, name: machines.name, url: machines.url }

export async function findMachine(db: Database, id: string): Promise<Machine | undefined> {
  const [row] = await db.select(shown).from(machines).where(eq(machines.id, id))
  return row
}

export async function listMachines(db: Database): Promise<Machine[]> {
  return db.select(shown).from(machines).orderBy(asc(machines.name), asc(machines.id))
}

/** Postgres's clock says who is late: those of the machines need not agree. */
export async function workerStatuses(db: Database, staleAfterMs: number): Promise<WorkerStatus[]> {
  const isLate = sql<boolean>`${machines.seenAt} < now() - ${staleAfterMs} * interval '1 millisecond'`
  const queued = sql<number>`(select count(*) from executions e
    where e.machine_id = machines.id and e.ended_at is null and e.status = 'queued')`
  const rows = await db
    .select({ machine: machines, isLate, queued })
    .from(machines)
    .orderBy(asc(machines.name), asc(machines.id))
  return rows.map(({ machine, isLate, queued }) => ({
    machineId: machine.id,
    workerId: machine.workerId,
    name: machine.name,
    state: machine.stoppedAt ? 'stopped' : isLate ? 'unreachable' : 'up',
    startedAt: machine.startedAt.toISOString(),
    seenAt: machine.seenAt.toISOString(),
    queued,
    report: machine.report,
  }))
}
