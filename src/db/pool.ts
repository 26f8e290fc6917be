import { drizzle } from 'drizzle-orm/node-postgres'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { nameStatements } from './name-statements.ts'
import { sendTogether } from './send-together.ts'

/** Reads, outside any transaction. */
export type Database = NodePgDatabase & { $client: pg.Pool }
/** One open transaction: the only handle a flow gets, so that no statement can slip past it. */
export type Tx = NodePgDatabase & { $client: pg.PoolClient }

export interface DatabasePool {
  readonly db: Database
  /** Reads over one connection: what is asked at once goes out at once. Each sees what is committed by then. */
  together<Result>(read: (db: Tx) => Promise<Result>): Promise<Result>
  /** A statement that writes, and is a transaction of its own. */
  statement<Result>(write: (tx: Tx) => Promise<Result>): Promise<Result>
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
  const writes = connections(url, max, onError)
  return {
    db: drizzle({ client: reads }),
    together: (read) => over(reads, (db) => read(db)),
    statement: (write) => over(writes, (tx) => write(tx)),
    transaction: (work) => inTransaction(writes, work),
    async close() {
      await Promise.all([reads.end(), writes.end()])
    },
  }
}

function connections(url: string, max: number, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    // What is asked for at once goes out at once.
    pipeline: true,
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
  pool.on('connect', sendTogether)
  return pool
}

async function over<Result>(
  pool: pg.Pool,
  work: (over: Tx, spoil: (error: Error) => void) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let broken: Error | undefined
  const onError = (error: Error) => void (broken = error)
  client.on('error', onError)
  try {
    return await work(drizzle({ client }), onError)
  } finally {
    client.off('error', onError)
    client.release(broken ?? false)
  }
}

function inTransaction<Result>(pool: pg.Pool, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return over(pool, async (tx, spoil) => {
    const begun = tx.$client.query('begin')
    begun.catch(() => undefined) // what follows fails with it
    try {
      const result = await work(tx)
      await begun
      await tx.$client.query('commit')
      return result
    } catch (error) {
      await tx.$client.query('rollback').catch(spoil)
      throw error
    }
  })
}
