import { findMachine, listMachines } from '#db/machines.ts'
import type { Machine } from '#db/machines.ts'
import type { Database } from '#db/pool.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'

/** Where an agent lives: where it was said to, else on the only machine there is, else on ours. */
export async function chooseMachine(
  db: Database,
  wanted: string | null | undefined,
  ours: string,
): Promise<Machine> {
  if (wanted) {
    const named = await findMachine(db, wanted)
    if (!named) throw bodyMisfit('machineId', `there is no machine ${wanted}`)
    return named
  }
  const all = await listMachines(db)
  const [only] = all
  if (!only)
    throw new Problem(
      'machine_unavailable',
      'No worker has registered yet, so there is no machine for an agent to live on. Start one: signalbox worker',
    )
  const chosen = all.length === 1 ? only : all.find(({ id }) => id === ours)
  if (chosen) return chosen
  const names = all.map(({ id, name }) => `${name} (${id})`).join(', ')
  throw bodyMisfit('machineId', `is needed, because there are several machines: ${names}`)
}
