import type { Database, Tx } from '#db/pool.ts'
import { findSource, lockSource } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import { Problem } from '#domain/problem.ts'

export async function theSource(db: Database | Tx, name: string): Promise<SourceRow> {
  return known(name, await findSource(db, name))
}

export async function theLockedSource(tx: Tx, name: string): Promise<SourceRow> {
  return known(name, await lockSource(tx, name))
}

function known(name: string, row: SourceRow | undefined): SourceRow {
  if (row) return row
  throw new Problem('source_not_found', `There is no source ${name}`)
}
