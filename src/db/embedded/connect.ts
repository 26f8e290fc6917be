import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { isAlive } from '#lib/process-identity.ts'
import { user } from './cluster.ts'
import { EmbeddedPostgresFailed } from './failed.ts'
import type { Server } from './server.ts'

const database = 'signalbox'

/** Port and sslmode are said so that PGPORT and PGSSLMODE of the environment cannot change them. */
export function databaseUrl(socketFolder: string, password: string, name = database): string {
  const where = new URLSearchParams({ host: socketFolder, port: '5432', sslmode: 'disable' })
  return `postgres://${user}:${encodeURIComponent(password)}@/${name}?${where.toString()}`
}

/** However long recovery takes, as long as the server lives: it has a database afterwards. */
export async function untilReady(
  server: Server,
  socketFolder: string,
  password: string,
  { log, signal }: { log: Logger; signal?: AbortSignal | undefined },
): Promise<'ready' | 'ended' | 'given up'> {
  const started = Date.now()
  let told = started
  while (isAlive(server.identity)) {
    if (signal?.aborted) return 'given up'
    try {
      await ensureDatabase(databaseUrl(socketFolder, password, 'postgres'))
      return 'ready'
    } catch (error) {
      if (isRefusal(error))
        throw new EmbeddedPostgresFailed(
          'The embedded Postgres does not accept the password beside its data. Restore the home from a backup.',
          String(error),
        )
      if (Date.now() - told > 5_000) {
        told = Date.now()
        log.info(
          { seconds: Math.round((told - started) / 1000), reason: String(error) },
          'waiting for Postgres',
        )
      }
    }
    await Promise.race([wait(25), server.exited])
  }
  return 'ended'
}

async function ensureDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined) // a lost connection also rejects the query under way
  try {
    await client.connect()
    const found = await client.query('select from pg_database where datname = $1', [database])
    if (found.rowCount === 0) await client.query(`create database ${database}`)
  } finally {
    await client.end().catch(() => undefined)
  }
}

const isRefusal = (error: unknown) => error instanceof pg.DatabaseError && error.code?.startsWith('28')
