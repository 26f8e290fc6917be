import type { Logger } from 'pino'
import { BOARD_STREAM } from '#contract/event.ts'
import { lastSeq, readEvents } from '#db/events.ts'
import type { Listener } from '#db/listen.ts'
import { findMachine } from '#db/machines.ts'
import type { DatabasePool } from '#db/pool.ts'
import { listSources } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import type { Registry } from '#tools/port.ts'
import { remoteSource } from './remote-source.ts'
import type { AskElsewhere, RemoteSource } from './remote-source.ts'
import { settingsOf } from './sources.ts'

interface Needs {
  pool: DatabasePool
  machineId: string
  registry: Registry
  listener: Listener
  ask: AskElsewhere
  log: Logger
  /** How often it is looked although nothing was heard. */
  everyMs?: number
}

/** The sources of other machines, in the registry of this one. */
export interface RemoteSources {
  has(name: string): boolean
  refresh(): Promise<void>
  close(): void
}

const togetherMs = 250
const tellsOfSources = new Set(['mcpAdded', 'source.removed', 'source.changed'])

export function openRemoteSources(needs: Needs): RemoteSources {
  const { pool, machineId, registry, listener, log, everyMs = 30_000 } = needs
  const known = new Map<string, { source: RemoteSource; stamp: string }>()
  let seq: number | undefined
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isAskedAgain = false

  async function look(): Promise<void> {
    const rows = (await listSources(pool.db)).filter((row) => row.machineId !== machineId)
    const names = new Set(rows.flatMap(({ name, config }) => (config.enabled ? [name] : [])))
    for (const [name, { source }] of known) {
      if (names.has(name)) continue
      known.delete(name)
      // Its name may be that of one of ours by now.
      if (registry.source(name) === source) await registry.remove(name)
    }
    await Promise.all(rows.filter(({ name }) => names.has(name)).map(put))
  }

  async function put(row: SourceRow): Promise<void> {
    const { name, config } = row
    const stamp = `${row.id} ${row.updatedAt.getTime()}`
    const before = known.get(name)
    if (before?.stamp === stamp) return before.source.refresh()
    const machine = await findMachine(pool.db, row.machineId)
    if (!machine) return
    const source = remoteSource({ name, description: config.description ?? '', machine }, needs.ask)
    await source.refresh()
    known.set(name, { source, stamp })
    // Limits, definitions and questions are the business of the registry there.
    registry.put(source, { ...settingsOf(config), ...unbound, isNative: true })
  }

  /** One look at a time; whoever asks during one gets the result of another that begins after it. */
  function refresh(): Promise<void> {
    if (running) isAskedAgain = true
    running ??= (async () => {
      do {
        isAskedAgain = false
        await look().catch((error: unknown) =>
          log.warn({ err: error }, 'the sources of other machines could not be read'),
        )
      } while (isAskedAgain)
      running = undefined
    })()
    return running
  }

  /** Most of what happens on the board is not about sources. */
  async function heard(): Promise<void> {
    timer = undefined
    if (seq === undefined) {
      seq = await lastSeq(pool.db, BOARD_STREAM)
      return refresh()
    }
    const { events } = await readEvents(pool.db, BOARD_STREAM, seq, 500)
    seq = events.at(-1)?.seq ?? seq
    if (events.some(({ type }) => tellsOfSources.has(type))) await refresh()
  }

  const soon = () =>
    void (timer ??= setTimeout(() => {
      heard().catch((error: unknown) => log.warn({ err: error }, 'the board could not be read'))
    }, togetherMs).unref())
  const ending = listener.on('events', (payload) => {
    if (payload.startsWith(`${BOARD_STREAM}:`)) soon()
  })
  const interval = setInterval(() => void refresh(), everyMs).unref()

  return {
    has: (name) => known.has(name),
    refresh,
    close() {
      ending()
      clearInterval(interval)
      clearTimeout(timer)
    },
  }
}

const unbound = { timeout: 3_600_000, rateLimit: 1_000_000, maxConcurrent: 1_000 }
