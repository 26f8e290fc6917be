import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { isMachineStale } from '#db/machine-life.ts'
import type { Database } from '#db/pool.ts'

/** The right to be this home's worker: one at a time, held as long as its connection. */
export interface OnlyOne {
  /** Aborts when another worker has taken the place of this one. */
  readonly replaced: AbortSignal
  close(): Promise<void>
}

interface Needs {
  url: string
  db: Database
  machineId: string
  staleAfterMs: number
  log: Logger
  signal: AbortSignal
}

const patienceMs = 5_000
const lockText = `select pg_try_advisory_lock(hashtext('signalbox worker'), hashtext($1)) as mine`
const endOldText = `
  select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
    and classid = hashtext('signalbox worker')::oid and objid = hashtext($1)::oid`

/** Undefined when another worker of this home lives. One that was frozen for too long is put aside. */
export async function becomeOnlyOne(needs: Needs): Promise<OnlyOne | undefined> {
  const replaced = new AbortController()
  let client = await acquire(needs, Date.now() + patienceMs)
  if (!client) return undefined
  let closed = false

  function watch(): void {
    client?.once('end', () => {
      if (!closed) void reacquire()
    })
  }

  /** Postgres was away. Meanwhile another may have come: then it is its turn. */
  async function reacquire(): Promise<void> {
    for (;;) {
      try {
        client = await acquire(needs, Date.now() + patienceMs)
        if (closed) return void client?.end()
        if (!client) return replaced.abort()
        return watch()
      } catch {
        if (closed) return
        await wait(500)
      }
    }
  }

  watch()
  return {
    replaced: replaced.signal,
    async close() {
      closed = true
      await client?.end().catch(() => undefined)
    },
  }
}

async function acquire(needs: Needs, until: number): Promise<pg.Client | undefined> {
  const { url, db, machineId, staleAfterMs, log, signal } = needs
  const client = new pg.Client({
    connectionString: url,
    application_name: 'signalbox worker',
    keepAlive: true,
  })
  client.on('error', () => undefined) // `end` follows
  await client.connect()
  try {
    for (;;) {
      const { rows } = await client.query<{ mine: boolean }>(lockText, [machineId])
      if (rows[0]?.mine) return client
      if (await isMachineStale(db, machineId, staleAfterMs)) {
        log.warn('the worker of this home has been silent for too long: taking its place')
        await client.query(endOldText, [machineId])
      } else if (Date.now() > until || signal.aborted) break
      await wait(100)
    }
    await client.end()
    return undefined
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}
