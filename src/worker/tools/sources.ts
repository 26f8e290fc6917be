import type { EditSource, Source, SourceConfig, SourceHealth, SourceOrigin } from '#contract/source.ts'
import { isDatabaseAway } from '#db/failure.ts'
import type { DatabasePool, Tx } from '#db/pool.ts'
import { asSource, listSources } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import { Problem } from '#domain/problem.ts'
import { checkOurs } from '#domain/source.ts'
import { addSource, addSources, nameTaken } from '#flows/add-source.ts'
import { editSource, editSources } from '#flows/edit-source.ts'
import { sourceGone, theSource } from '#flows/find-source.ts'
import { removeSource, removeSources } from '#flows/remove-source.ts'
import { newId } from '#lib/id.ts'
import type { Registry, SourceSettings, ToolSource } from '#tools/port.ts'
import { openTurns } from '../in-turn.ts'
import { checkWanted, fittingOf } from './check-wanted.ts'
import type { Wanted } from './check-wanted.ts'
import { firstWord } from './first-word.ts'
import { openRow, sealedAs } from './open-row.ts'
import type { OpenNeeds } from './open-row.ts'
import { hideSecrets } from './source-secrets.ts'
import { tellChanges } from './tell-changes.ts'

export interface SourcesNeeds extends OpenNeeds {
  pool: DatabasePool
  machineId: string
  registry: Registry
  /** For other programs to read, whenever something has changed. Throws when it cannot be written. */
  writeFile: (rows: readonly SourceRow[]) => void
}

/** The sources of this machine, as people register them. */
export interface Sources {
  /** Opens those that are registered, and resolves when all have begun; none is waited for. */
  begin(): Promise<void>
  /** Throws what `add` would throw about it. */
  check(wanted: Wanted): Promise<void>
  add(by: string, wanted: Wanted, origin: SourceOrigin): Promise<Source>
  edit(by: string, name: string, edit: EditSource): Promise<Source>
  /** Of an origin other than the API: all at once, or none. Those that cannot be are told by `refuse`, and the others are made. */
  take(by: string, written: Written, refuse: (name: string, why: unknown) => void): Promise<void>
  remove(by: string, name: string): Promise<void>
  /** Begins it again, now. */
  retry(name: string): Promise<Source>
  rows(): readonly SourceRow[]
  health(): SourceHealth[]
  close(): void
}

/** What a file says: those that are new, those of which it says something else, and those that are gone from it. */
export interface Written {
  origin: SourceOrigin
  added: readonly Wanted[]
  changed: readonly Wanted[]
  removed: readonly string[]
}

const all = 'all'

export function openSources(needs: SourcesNeeds): Sources {
  const { pool, machineId, registry, seal } = needs
  const known = new Map<string, SourceRow>()
  const turns = openTurns()
  const telling = tellChanges({ ...needs, known })

  async function open(row: SourceRow, check = needs.check()): Promise<ToolSource> {
    const source = await openRow(row, { ...needs, check: () => check })
    known.set(row.name, row)
    registry.put(source, settingsOf(row.config))
    return source
  }

  /** What is kept in the database is in the file too, or in neither. */
  async function kept<Changed>(change: (tx: Tx) => Promise<Changed>): Promise<Changed> {
    try {
      return await pool.transaction(async (tx) => {
        const changed = await change(tx)
        const rows = await listSources(tx, machineId)
        notKept('mcp-config.json', () => needs.writeFile(rows))
        return changed
      })
    } catch (error) {
      if (error instanceof Problem || isDatabaseAway(error)) throw error
      needs.log.error({ err: error }, 'a source could not be kept')
      throw new Problem('source_not_kept', 'The source could not be kept: the log of the worker says why')
    }
  }

  const checked = (wanted: Wanted, check = needs.check()) => checkWanted(wanted, needs.openSource, check)

  /** What is the same for all of them is looked up once. */
  function checkForMany(): ReturnType<typeof needs.check> {
    const check = needs.check()
    let addresses: ReturnType<typeof check.ourAddresses> | undefined
    return { ...check, ourAddresses: () => (addresses ??= check.ourAddresses()) }
  }

  const shown = (row: SourceRow): Source => ({
    ...asSource(row),
    health: registry.healthOf(row.name) ?? null,
  })

  function sealed(id: string, whole: SourceConfig) {
    const { config, secrets } = hideSecrets(whole)
    return { config, secrets: secrets.length > 0 ? seal.seal(secrets, sealedAs({ id })) : null }
  }

  return {
    async begin() {
      await turns.inTurn(all, async () => {
        const check = checkForMany()
        for (const row of await listSources(pool.db, machineId))
          if (!known.has(row.name)) await open(row, check)
      })
    },

    check: (wanted) => checked(wanted),

    async add(by, { name, config: whole }, origin) {
      await checked({ name, config: whole })
      const [row, source] = await turns.inTurn(all, async () => {
        const id = newId()
        const row = await kept((tx) =>
          addSource(tx, by, { id, name, machineId, origin, ...sealed(id, whole) }),
        )
        return [row, await open(row)] as const
      })
      await firstWord(source)
      return shown(row)
    },

    edit: (by, name, edit) =>
      turns.inTurn(all, async () => {
        const row = await kept((tx) =>
          editSource(tx, by, name, (before) => {
            checkOurs(name, before.origin, 'changed')
            return { config: { ...before.config, ...given(edit) } }
          }),
        )
        const source = registry.source(name)
        const isBegunAgain = !source || edit.enabled !== undefined || edit.description !== undefined
        if (isBegunAgain) await open(row)
        else {
          known.set(name, row)
          registry.put(source, settingsOf(row.config))
        }
        return shown(row)
      }),

    async take(by, { origin, added, changed, removed }, refuse) {
      const check = checkForMany()
      const fitting = (some: readonly Wanted[]) => fittingOf(some, (wanted) => checked(wanted, check), refuse)
      const [news, changes] = [await fitting(added), await fitting(changed)]
      if (news.size + changes.size + removed.length === 0) return
      await turns.inTurn(all, async () => {
        const wanted = [...news].map(([name, whole]) => {
          const id = newId()
          return { id, name, machineId, origin, ...sealed(id, whole) }
        })
        const rows = await kept(async (tx) => {
          await removeSources(tx, by, removed)
          const edited = await editSources(tx, by, [...changes.keys()], ({ id, name }) =>
            sealed(id, changes.get(name)!),
          )
          return [...(await addSources(tx, by, wanted)), ...edited]
        })
        for (const name of removed) known.delete(name)
        await Promise.all(removed.map((name) => registry.remove(name)))
        const made = new Set(rows.map(({ name }) => name))
        for (const name of news.keys()) if (!made.has(name)) refuse(name, nameTaken(name))
        for (const name of changes.keys()) if (!made.has(name)) refuse(name, sourceGone(name))
        for (const row of rows) await open(row, check)
      })
    },

    remove: (by, name) =>
      turns.inTurn(all, async () => {
        await kept(async (tx) => {
          const row = await removeSource(tx, by, name)
          checkOurs(name, row.origin, 'removed')
          return row
        })
        known.delete(name)
        await registry.remove(name)
      }),

    async retry(name) {
      const [row, source] = await turns.inTurn(all, async () => {
        const found = await theSource(pool.db, name)
        return [found, await open(found)] as const
      })
      await firstWord(source)
      return shown(row)
    },

    rows: () => [...known.values()],
    health: () => registry.health().filter(({ name }) => known.has(name)),
    close: () => telling.close(),
  }
}

function notKept(what: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Problem('source_not_kept', `Nothing was changed, because ${what} cannot be written: ${why}`)
  }
}

export const settingsOf = ({
  timeout,
  retryPolicy,
  rateLimit,
  maxConcurrent,
  grants,
  tools,
}: SourceConfig): SourceSettings => ({ timeout, retryPolicy, rateLimit, maxConcurrent, grants, tools })

const given = (edit: EditSource): Partial<SourceConfig> =>
  Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined))
