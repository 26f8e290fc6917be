import { drizzle } from 'drizzle-orm/node-postgres'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import * as schema from './schema.ts'

/** Reads, outside any transaction. */
export type Database = NodePgDatabase<typeof schema> & { $client: pg.Pool }
/** One open transaction: the only handle a flow gets, so that no statement can slip past it. */
export type Tx = NodePgDatabase<typeof schema> & { $client: pg.PoolClient }

export interface DatabasePool {
  readonly db: Database
  /** Commits what `work` did, or nothing of it. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export function openPool(
  url: string,
  options: { max?: number; onError?: (error: Error) => void } = {},
): DatabasePool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    connectionTimeoutMillis: 10_000,
    application_name: 'signalbox',
  })
  const onError = options.onError ?? (() => undefined)
  // Without a listener, an error that nobody waits for would end the process: of a connection that is idle, and of one
  // that was given back as broken and has one more thing to say.
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', onError))
  return {
    db: drizzle({ client: pool, schema }),
    transaction: (work) => inTransaction(pool, work),
    close: () => pool.end(),
  }
}

async function inTransaction<Result>(pool: pg.Pool, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  let broken: Error | undefined
  const onError = (error: Error) => (broken = error)
  client.on('error', onError)
  try {
    await client.query('begin')
    const result = await work(drizzle({ client, schema }))
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((failed: Error) => (broken = failed))
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken ?? false)
  }
}
