import { drizzle } from 'drizzle-orm/node-postgres'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Database, Tx } from './pool.ts'

type Values = Record<string, unknown>

interface Prepared<Rows> {
  execute(values?: Values): Promise<Rows>
}

/**
 * A statement whose text is made when it is first needed, and never again: to put one together takes longer than to send it. It
 * runs over any connection; what differs from one time to the next stands in it as `sql.placeholder`.
 */
export function madeOnce<Rows>(
  name: string,
  make: (db: NodePgDatabase) => { prepare(name: string): Prepared<Rows> },
): (over: Database | Tx, values: Values) => Promise<Rows> {
  let made: Prepared<Rows> | undefined
  return (over, values) => {
    made ??= make(drizzle.mock()).prepare(name)
    const here = Object.assign(Object.create(made) as Prepared<Rows>, { client: over.$client })
    return here.execute(values)
  }
}
