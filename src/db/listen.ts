import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'

/** One LISTEN connection for the whole process. It connects for ever, and tells when notifications may have been missed. */
export interface Listener {
  /** Calls `heard` with each notification's payload; answers with a function that ends it. */
  on(channel: string, heard: (payload: string) => void): () => void
  /** Calls `caughtUp` after every connect, the first included: whatever was notified meanwhile must be read from the tables. */
  onReconnect(caughtUp: () => void): () => void
  close(): Promise<void>
}

const slowest = 2_000

export function openListener(url: string, log: Pick<Logger, 'warn'>): Listener {
  const channels = new Map<string, Set<(payload: string) => void>>()
  const reconnected = new Set<() => void>()
  let closed = false
  let client: pg.Client | undefined
  void keepConnecting()

  async function connect(): Promise<pg.Client> {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'signalbox listen',
      keepAlive: true,
    })
    next.on('error', () => undefined) // `end` follows, and starts the reconnect
    next.on('notification', ({ channel, payload }) => {
      for (const heard of channels.get(channel) ?? []) heard(payload ?? '')
    })
    await next.connect()
    for (const channel of channels.keys()) await next.query(`listen ${pg.escapeIdentifier(channel)}`)
    next.on('end', () => {
      if (closed) return
      log.warn('lost the LISTEN connection, reconnecting')
      void keepConnecting()
    })
    return next
  }

  async function keepConnecting(): Promise<void> {
    for (let delay = 50; !closed; delay = Math.min(delay * 2, slowest)) {
      try {
        client = await connect()
        if (closed) await client.end()
        for (const caughtUp of reconnected) caughtUp()
        return
      } catch {
        await wait(delay) // the database is still away: keep trying, that is the whole job
      }
    }
  }

  return {
    on(channel, heard) {
      const listeners = channels.get(channel)
      if (listeners) listeners.add(heard)
      else {
        channels.set(channel, new Set([heard]))
        // When this fails the connection is gone, and the reconnect listens to every channel again.
        client?.query(`listen ${pg.escapeIdentifier(channel)}`).catch(() => undefined)
      }
      return () => channels.get(channel)?.delete(heard)
    },
    onReconnect(caughtUp) {
      reconnected.add(caughtUp)
      return () => reconnected.delete(caughtUp)
    },
    async close() {
      closed = true
      await client?.end()
    },
  }
}
