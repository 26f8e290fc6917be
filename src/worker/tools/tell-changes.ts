import type { Logger } from 'pino'
import type { SourceHealth } from '#contract/source.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { DatabasePool } from '#db/pool.ts'
import type { SourceRow } from '#db/sources.ts'
import { nameForAll } from '#domain/source.ts'
import type { Registry } from '#tools/port.ts'

const togetherMs = 250

interface Needs {
  pool: DatabasePool
  registry: Registry
  /** A source that people registered: what is native does not change. */
  known: ReadonlyMap<string, Pick<SourceRow, 'config'>>
  log: Logger
}

/** Tells the board when the health or the tools of a source have changed; what comes together is told together. */
export function tellChanges({ pool, registry, known, log }: Needs): { close(): void } {
  const told = new Map<string, string>()
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  async function tell(): Promise<void> {
    timer = undefined
    const news = [...changed].flatMap((name) => {
      const config = known.get(name)?.config
      const health = registry.healthOf(name)
      return config && health && told.get(name) !== stampOf(health) ? [{ name, config, health }] : []
    })
    changed.clear()
    if (news.length === 0) return
    try {
      await pool.transaction(async (tx) => {
        await lockStream(tx, BOARD_STREAM)
        const events = news.map(({ name, config, health: { status, tools } }) =>
          boardEvent('source.changed', { name: nameForAll(name, config), status, tools }),
        )
        await tellBoard(tx, ...events)
      })
      for (const { name, health } of news) told.set(name, stampOf(health))
    } catch (error) {
      log.warn({ err: error }, 'a change of sources could not be told, it is tried again')
      for (const { name } of news) note(name)
    }
  }

  function note(name: string): void {
    changed.add(name)
    timer ??= setTimeout(() => void tell(), togetherMs).unref()
  }

  const end = registry.onChange((name, { kind }) => {
    if (kind !== 'notification') note(name)
  })
  return {
    close() {
      end()
      clearTimeout(timer)
    },
  }
}

const stampOf = ({ status, tools, error }: SourceHealth): string => JSON.stringify([status, tools, error])
