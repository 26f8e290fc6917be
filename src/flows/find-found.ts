import { findDiscovered, findManyDiscovered } from '#db/discovered.ts'
import type { DiscoveredRow } from '#db/discovered.ts'
import type { Database, Tx } from '#db/pool.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'

export async function theFound(db: Database | Tx, id: string): Promise<DiscoveredRow> {
  const row = await findDiscovered(db, id)
  if (!row) throw noProgram(id)
  return row
}

/** All of them, which must be on one machine. */
export async function theFoundOnOneMachine(db: Database, ids: readonly string[]): Promise<DiscoveredRow[]> {
  const rows = await findManyDiscovered(db, ids)
  checkAllThere(ids, rows)
  if (new Set(rows.map(({ machineId }) => machineId)).size > 1)
    throw bodyMisfit('ids', 'are of several machines: confirm those of one machine at a time')
  return rows
}

export function checkAllThere(ids: readonly string[], rows: readonly { id: string }[]): void {
  const known = new Set(rows.map(({ id }) => id))
  const unknown = ids.find((id) => !known.has(id.toLowerCase()))
  if (unknown !== undefined) throw noProgram(unknown)
}

const noProgram = (id: string) => new Problem('program_not_found', `No program ${id} was found`, { id })
