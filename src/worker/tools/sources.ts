import type {
  AddSource,
  EditSource,
  Source,
  SourceConfig,
  SourceHealth,
  SourceOrigin,
} from '#contract/source.ts'
import { isDatabaseAway } from '#db/failure.ts'
import type { DatabasePool, Tx } from '#db/pool.ts'
import { asSource, listSources } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import { Problem } from '#domain/problem.ts'
import { checkOurs } from '#domain/source.ts'
import { addSource } from '#flows/add-source.ts'
import { editSource } from '#flows/edit-source.ts'
import { theSource } from '#flows/find-source.ts'
import { removeSource } from '#flows/remove-source.ts'
import { newId } from '#lib/id.ts'
import type { Registry, SourceSettings, ToolSource } from '#tools/port.ts'
import { openTurns } from '../in-turn.ts'
import { badSource, checkPlaces } from './check-source.ts'
import { NotFilledIn, fillIn } from './fill-in.ts'
import { openRow, sealedAs } from './open-row.ts'
import type { OpenNeeds } from './open-row.ts'
import { hideSecrets, shownAgain } from './source-secrets.ts'
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
  /** Everything that is said of it, anew; for origins other than the API. */
  replace(by: string, name: string, config: SourceConfig): Promise<Source>
  remove(by: string, name: string, origin?: SourceOrigin): Promise<void>
  /** Begins it again, now. */
  retry(name: string): Promise<Source>
  rows(): readonly SourceRow[]
  health(): SourceHealth[]
  close(): void
}

export type Wanted = Pick<AddSource, 'name' | 'config'>

/** How long whoever registers a source waits for its first word. */
const firstWordMs = 2_000
const all = 'all'

export function openSources(needs: SourcesNeeds): Sources {
  const { pool, machineId, registry, seal } = needs
  const known = new Map<string, SourceRow>()
  const turns = openTurns()
  const telling = tellChanges({ ...needs, isKnown: (name) => known.has(name) })

  async function open(row: SourceRow): Promise<ToolSource> {
    const source = await openRow(row, needs)
    known.set(row.name, row)
    registry.put(source, settingsOf(row.config))
    return source
  }

  /** What is kept in the database is in the file too, or in neither. */
  async function kept(change: (tx: Tx) => Promise<SourceRow>): Promise<SourceRow> {
    let row
    try {
      row = await pool.transaction(async (tx) => {
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
    return row
  }

  async function checked(name: string, config: SourceConfig): Promise<void> {
    const again = shownAgain(config)
    if (again) throw badSource(again, 'is only the sign that a secret is there: give the secret itself')
    const check = needs.check()
    let filled
    try {
      filled = fillIn(config, check.env)
    } catch (error) {
      if (error instanceof NotFilledIn) return // its health says so, until the variable is set
      throw error
    }
    const real = await checkPlaces(filled, check)
    if (real.transport === 'openapi' && real.document !== undefined) await tryDocument(name, real)
  }

  async function tryDocument(name: string, config: SourceConfig): Promise<void> {
    try {
      await (await needs.openSource({ id: newId(), name, config })).close()
    } catch (error) {
      throw badSource('document', error instanceof Error ? error.message : String(error))
    }
  }

  const shown = (row: SourceRow): Source => ({
    ...asSource(row),
    health: registry.source(row.name)?.health() ?? null,
  })

  function sealed(id: string, whole: SourceConfig) {
    const { config, secrets } = hideSecrets(whole)
    return { config, secrets: secrets.length > 0 ? seal.seal(secrets, sealedAs({ id })) : null }
  }

  return {
    async begin() {
      await turns.inTurn(all, async () => {
        for (const row of await listSources(pool.db, machineId)) if (!known.has(row.name)) await open(row)
      })
    },

    check: ({ name, config }) => checked(name, config),

    async add(by, { name, config: whole }, origin) {
      await checked(name, whole)
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

    async replace(by, name, whole) {
      await checked(name, whole)
      return turns.inTurn(all, async () => {
        const row = await kept((tx) => editSource(tx, by, name, ({ id }) => sealed(id, whole)))
        await open(row)
        return shown(row)
      })
    },

    remove: (by, name, origin) =>
      turns.inTurn(all, async () => {
        await kept(async (tx) => {
          const row = await removeSource(tx, by, name)
          if (origin === undefined) checkOurs(name, row.origin, 'removed')
          return row
        })
        known.delete(name)
        await registry.remove(name)
      }),

    async retry(name) {
      const row = await theSource(pool.db, name)
      const source = await turns.inTurn(all, () => open(row))
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

/** It says how it is, or some time has passed. */
async function firstWord(source: ToolSource): Promise<void> {
  if (source.health().status !== 'connecting') return
  const said = Promise.withResolvers<void>()
  const timer = setTimeout(said.resolve, firstWordMs)
  const end = source.onChange(() => {
    if (source.health().status !== 'connecting') said.resolve()
  })
  await said.promise
  clearTimeout(timer)
  end()
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
