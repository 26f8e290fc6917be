import type { Database, Tx } from '#db/pool.ts'
import { findSource } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import { Problem } from '#domain/problem.ts'

export async function theSource(db: Database | Tx, name: string): Promise<SourceRow> {
  const row = await findSource(db, name)
  if (!row) throw sourceGone(name)
  return row
}

export const sourceGone = (name: string): Problem =>
  new Problem('source_not_found', `There is no source ${name}`)
