import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import { SourceConfig, SourceName } from '#contract/source.ts'
import { isDatabaseAway } from '#db/failure.ts'
import type { DatabasePool } from '#db/pool.ts'
import { listSources } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import { Problem } from '#domain/problem.ts'
import type { Seal } from '#lib/sealed.ts'
import { valueAt, putAt } from '#lib/tree.ts'
import type { Path } from '#lib/tree.ts'
import { openTurns } from '../in-turn.ts'
import type { Wanted } from './check-wanted.ts'
import type { ConfigFile } from './config-file.ts'
import { configIn, entryOf, isPlaceholder, misfitsIn } from './entry.ts'
import { wholeConfig } from './open-row.ts'
import type { Sources, Written } from './sources.ts'
import { hideSecrets, isReference } from './source-secrets.ts'

interface Needs {
  pool: DatabasePool
  machineId: string
  seal: Seal
  sources: Sources
  file: ConfigFile
  log: Logger
}

/** `mcp` of the configuration, and where it names variables. */
export type WrittenServers = Pick<Config['mcp'], 'servers'> & Partial<Config['mcp']>

export const configuration = 'configuration'

/** Makes sources of `mcp.servers` in the YAML file; those that are gone from there go. What cannot be is told, the others are made. */
export async function takeYaml(needs: Needs, { servers, references }: WrittenServers): Promise<void> {
  const { sources, machineId, seal } = needs
  const place: Place = { by: configuration, all: 'mcp.servers', of: (name) => `mcp.servers.${name}` }
  const isGone = ({ name, origin }: SourceRow) => origin === 'yaml' && !Object.hasOwn(servers, name)
  const removed = sources.rows().filter(isGone)
  const [added, changed]: [Wanted[], Wanted[]] = [[], []]
  const rows = await rowsByName(needs)
  for (const [name, written] of Object.entries(servers))
    unlessBad(needs, place.of(name), () => {
      checkName(name)
      const parsed = SourceConfig.safeParse(asWritten(written, references?.get(name)))
      if (!parsed.success) throw new Problem('bad_source', misfitsIn(parsed.error))
      const row = rows.get(name)
      const config = parsed.data
      if (!row) added.push({ name, config })
      else if (row.machineId !== machineId || row.origin !== 'yaml')
        throw new Problem(
          'source_name_taken',
          `there is already a source ${name} that does not come from this file`,
        )
      else if (!isSame(row, seal, config)) changed.push({ name, config })
    })
  await takeAll(needs, place, { origin: 'yaml', added, changed, removed: removed.map(({ name }) => name) })
}

/** Takes the file as it is when its turn comes: whoever asks in the middle of one is followed by another. */
export function followYaml(needs: Needs, read: () => WrittenServers): () => Promise<void> {
  const turns = openTurns()
  return () => turns.inTurn('yaml', async () => takeYaml(needs, read()))
}

/** Makes sources of what somebody wrote into `mcp-config.json`. What we wrote there ourselves is known again. */
export async function takeFile(needs: Needs): Promise<void> {
  const { machineId, seal, file } = needs
  const by = 'mcp-config.json'
  const place: Place = { by, all: by, of: (name) => `${by}: ${name}` }
  const [added, changed]: [Wanted[], Wanted[]] = [[], []]
  const rows = await rowsByName(needs)
  for (const [name, entry] of file.read())
    unlessBad(needs, place.of(name), () => {
      const row = rows.get(name)
      const isOurs = row?.machineId === machineId
      if (row && isOurs && isEqual(entry, entryOf(row))) return file.settled(name)
      checkName(name)
      const config = configIn(entry)
      if ('why' in config) throw new Problem('bad_source', config.why)
      if (!row) added.push({ name, config })
      else if (isOurs && row.origin === 'file') changed.push({ name, config: withKept(row, config, seal) })
      else if (isOurs) {
        file.settled(name)
        throw new Problem('source_name_taken', 'it was registered otherwise: what is registered counts')
      } else throw new Problem('source_name_taken', 'another machine has a source of this name')
    })
  const refused = await takeAll(needs, place, { origin: 'file', added, changed, removed: [] })
  for (const { name } of [...added, ...changed]) if (!refused.has(name)) file.settled(name)
}

/** Who says it, and where that stands. */
interface Place {
  by: string
  all: string
  of: (name: string) => string
}

/** All at once. Answers with those that cannot be, which are told. */
async function takeAll(needs: Needs, { by, all, of }: Place, written: Written): Promise<Set<string>> {
  const refused = new Set<string>()
  try {
    await needs.sources.take(by, written, (name, why) => {
      refused.add(name)
      unlessBad(needs, of(name), () => {
        throw why
      })
    })
  } catch (error) {
    if (isDatabaseAway(error)) throw error
    needs.log.warn({ where: all, reason: messageOf(error) }, 'sources that are written down cannot be kept')
    for (const { name } of [...written.added, ...written.changed]) refused.add(name)
  }
  return refused
}

/** Of all machines: no two have a source of the same name. */
const rowsByName = async ({ pool }: Needs): Promise<Map<string, SourceRow>> =>
  new Map((await listSources(pool.db)).map((row) => [row.name, row]))

function checkName(name: string): void {
  const named = SourceName.safeParse(name)
  if (named.success) return
  throw new Problem('bad_source', `the name ${named.error.issues[0]?.message ?? 'does not fit'}`)
}

/** A secret that the file only names stays what it was. */
function withKept(row: SourceRow, config: SourceConfig, seal: Seal): SourceConfig {
  const before = wholeConfig(row, seal)
  const kept = structuredClone(config)
  for (const [path] of hideSecrets(before).secrets)
    if (isPlaceholder(row.name, config, row.config, path)) putAt(kept, path, valueAt(before, path))
  return kept
}

function unlessBad({ log }: Needs, where: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (isDatabaseAway(error)) throw error
    log.warn({ where, reason: messageOf(error) }, 'a source that is written down cannot be used')
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const isSame = (row: SourceRow, seal: Seal, config: SourceConfig): boolean => {
  try {
    return isEqual(wholeConfig(row, seal), config)
  } catch {
    return false // kept with a key that is gone: it is kept anew
  }
}

/** By what they say, whatever the order. */
const isEqual = (one: unknown, other: unknown): boolean => sorted(one) === sorted(other)

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )

const defined = (tree: object): object =>
  Object.fromEntries(Object.entries(tree).filter(([, value]) => value !== undefined))

/**
 * The variables of the file have been filled in: what still looks like one is meant as it stands. But what is nothing else than a variable
 * stays one, for it is no secret and is called the same everywhere.
 */
function asWritten(
  { document, ...written }: WrittenServers['servers'][string],
  references: readonly (readonly [Path, string])[] = [],
): object {
  const config = plain(defined(written)) as object
  for (const [path, text] of references)
    if (['env', 'headers', 'auth', 'args'].includes(String(path[0])) && isReference(text))
      putAt(config, path, text)
  return { ...config, ...(document !== undefined && { document }) }
}

function plain(tree: unknown): unknown {
  if (typeof tree === 'string') return tree.replaceAll('${', () => '$${')
  if (Array.isArray(tree)) return tree.map(plain)
  if (typeof tree !== 'object' || tree === null) return tree
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, plain(value)]))
}
