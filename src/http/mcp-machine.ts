import type { Principal } from '#contract/access.ts'
import { findMachine, workerStatuses } from '#db/machines.ts'
import type { Machine } from '#db/machines.ts'
import { findSource } from '#db/sources.ts'
import { findToolPlace } from '#db/tool-place.ts'
import { Problem } from '#domain/problem.ts'
import { isGranted } from '#domain/source.ts'
import type { Parts } from './room.ts'

/** Which machine answers: a source is on its own, an agent's tools are where its session is, a person's are here or where a worker lives. */
export async function machineForMcp(
  { pool, machineId, settings }: Pick<Parts, 'pool' | 'machineId' | 'settings'>,
  by: Principal,
  source: string | undefined,
): Promise<Machine> {
  const { db } = pool
  if (source !== undefined) {
    const row = await findSource(db, source)
    const isTheirs = row && isGranted(row.config.grants, by)
    const there = isTheirs && (await findMachine(db, row.machineId))
    if (!there) throw new Problem('source_not_found', `There is no source ${source} that you may use`)
    return there
  }
  const place = by.agent && (await findToolPlace(db, by.agent.sessionId))
  if (place?.machine) return place.machine
  const workers = await workerStatuses(db, settings.current().worker.staleAfterMs)
  const living = workers.filter(({ state }) => state === 'up')
  const chosen = living.find((worker) => worker.machineId === machineId) ?? living[0]
  const machine = chosen && (await findMachine(db, chosen.machineId))
  if (machine) return machine
  throw new Problem(
    'machine_unavailable',
    'No worker is running, and tools are called by one. Start it: signalbox worker',
  )
}
