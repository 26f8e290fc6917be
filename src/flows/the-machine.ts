import { findMachine } from '#db/machines.ts'
import type { Machine } from '#db/machines.ts'
import type { Database } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import { chooseMachine } from './choose-machine.ts'

export async function machineById(db: Database, id: string): Promise<Machine> {
  const machine = await findMachine(db, id)
  if (!machine) throw new Problem('machine_not_found', `There is no machine ${id}`)
  return machine
}

/** The one that is named, which must be there; else the only one there is, or ours. */
export const theMachine = (db: Database, id: string | undefined, ours: string): Promise<Machine> =>
  id === undefined ? chooseMachine(db, undefined, ours) : machineById(db, id)
