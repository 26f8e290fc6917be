import { drizzle } from 'drizzle-orm/node-postgres'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { nameStatements } from './name-statements.ts'
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

interface PoolOptions {
  /** Connections for reads, and as many again for transactions. */
  max?: number
  onError?: (error: Error) => void
}

pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** Reads and transactions have connections of their own: writers that wait for a lock keep nobody from reading. */
export function openPool(
  url: string,
  { max = 6, onError = () => undefined }: PoolOptions = {},
): DatabasePool {
  const reads = connections(url, max, onError)
  // What a transaction asks for at once goes out at once.
  const writes = connections(url, max, onError, { pipeline: true })
  return {
    db: drizzle({ client: reads, schema }),
    transaction: (work) => inTransaction(writes, work),
    async close() {
      await Promise.all([reads.end(), writes.end()])
    },
  }
}

function connections(
  url: string,
  max: number,
  onError: (error: Error) => void,
  more: pg.PoolConfig = {},
): pg.Pool {
  const pool = new pg.Pool({
    ...more,
    connectionString: url,
    max,
    application_name: 'signalbox',
    connectionTimeoutMillis: 10_000,
    // A machine that froze in the middle of a transaction must not hold the others up for ever.
    idle_in_transaction_session_timeout: 10_000,
    lock_timeout: 5_000,
    statement_timeout: 30_000,
  })
  // Without a listener, an error that nobody waits for would end the process: of a connection that is idle, and of one
  // that was given back as broken and has one more thing to say.
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', onError))
  pool.on('connect', nameStatements)
  return pool
}

async function inTransaction<Result>(pool: pg.Pool, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  let broken: Error | undefined
  const onError = (error: Error) => (broken = error)
  client.on('error', onError)
  try {
    const begun = client.query('begin')
    begun.catch(() => undefined) // what follows fails with it
    const result = await work(drizzle({ client, schema }))
    await begun
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
