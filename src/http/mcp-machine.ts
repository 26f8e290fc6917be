import type { Principal } from '#contract/access.ts'
import type { Machine } from '#db/machines.ts'
import { findLivingMachine, findMachineOfSource } from '#db/tool-machines.ts'
import { findToolPlace } from '#db/tool-place.ts'
import { Problem } from '#domain/problem.ts'
import { isGranted } from '#domain/source.ts'
import type { Parts } from './room.ts'

type Needs = Pick<Parts, 'pool' | 'machineId' | 'settings'>

/** One whose worker lives, if one does: this one rather than another. */
export const livingMachine = ({ pool, machineId, settings }: Needs): Promise<Machine | undefined> =>
  findLivingMachine(pool.db, machineId, settings.current().worker.staleAfterMs)

/** Which machine answers: a source is on its own, an agent's tools are where its session is, a person's are here or where a worker lives. */
export async function machineForMcp(
  needs: Needs,
  by: Principal,
  source: string | undefined,
  /** Where it was looked for already. */
  living?: Promise<Machine | undefined>,
): Promise<Machine> {
  const { db } = needs.pool
  if (source !== undefined) {
    const there = await findMachineOfSource(db, source)
    if (there && isGranted(there.grants, by)) return there.machine
    throw new Problem('source_not_found', `There is no source ${source} that you may use`)
  }
  const place = by.agent && (await findToolPlace(db, by.agent.sessionId))
  if (place?.machine) return place.machine
  const machine = await (living ?? livingMachine(needs))
  if (machine) return machine
  throw new Problem(
    'machine_unavailable',
    'No worker is running, and tools are called by one. Start it: signalbox worker',
  )
}
