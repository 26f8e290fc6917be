import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'

/** One LISTEN connection for the whole process. It connects for ever, and tells when notifications may have been missed. */
export interface Listener {
  /** Calls `heard` with each notification's payload; answers with a function that ends it. */
  on(channel: string, heard: (payload: string) => void): () => void
  /** Calls `caughtUp` after every connect, the first included: whatever was notified before must be read from the tables. */
  onReconnect(caughtUp: () => void): () => void
  close(): Promise<void>
}

const slowest = 2_000

export function openListener(url: string, log: Pick<Logger, 'warn'>): Listener {
  const channels = new Map<string, Set<(payload: string) => void>>()
  const reconnected = new Set<() => void>()
  const closed = new AbortController()
  let client: pg.Client | undefined
  let connecting = keepConnecting()
  /** One after the other, as a connection wants it. */
  let asking: Promise<unknown> = Promise.resolve()

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'signalbox listen',
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
    })
    next.on('error', () => undefined) // `end` follows, and starts the reconnect
    next.on('notification', ({ channel, payload }) => {
      for (const heard of channels.get(channel) ?? []) heard(payload ?? '')
    })
    try {
      await next.connect()
      client = next // from here on a channel that joins asks for itself
      for (const channel of channels.keys()) await next.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      await next.end().catch(() => undefined) // it was never open
      throw error
    }
    next.on('end', () => {
      if (closed.signal.aborted) return
      log.warn('lost the LISTEN connection, reconnecting')
      connecting = keepConnecting()
    })
  }

  async function keepConnecting(): Promise<void> {
    for (let delay = 50; !closed.signal.aborted; delay = Math.min(delay * 2, slowest)) {
      try {
        await connect()
        if (!closed.signal.aborted) for (const caughtUp of reconnected) caughtUp()
        return
      } catch {
        // The database is still away: to keep trying is all there is to do.
        await wait(delay, undefined, { signal: closed.signal }).catch(() => undefined)
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
        asking = asking
          .then(() => client?.query(`listen ${pg.escapeIdentifier(channel)}`))
          .catch(() => undefined)
      }
      return () => channels.get(channel)?.delete(heard)
    },
    onReconnect(caughtUp) {
      reconnected.add(caughtUp)
      return () => reconnected.delete(caughtUp)
    },
    async close() {
      closed.abort()
      await connecting
      await client?.end()
    },
  }
}
