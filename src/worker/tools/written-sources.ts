import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import { SourceConfig, SourceName } from '#contract/source.ts'
import { isDatabaseAway } from '#db/failure.ts'
import type { DatabasePool } from '#db/pool.ts'
import { findSource } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import { Problem } from '#domain/problem.ts'
import type { Seal } from '#lib/sealed.ts'
import { valueAt, putAt } from '#lib/tree.ts'
import type { ConfigFile } from './config-file.ts'
import { configIn, entryOf, isPlaceholder } from './entry.ts'
import type { Entry } from './entry.ts'
import { wholeConfig } from './open-row.ts'
import type { Sources } from './sources.ts'
import { hideSecrets } from './source-secrets.ts'

interface Needs {
  pool: DatabasePool
  machineId: string
  seal: Seal
  sources: Sources
  file: ConfigFile
  log: Logger
}

export const configuration = 'configuration'

/** Makes sources of `mcp.servers` in the YAML file; those that are gone from there go. What cannot be is told, the others are made. */
export async function takeYaml(needs: Needs, servers: Config['mcp']['servers']): Promise<void> {
  const { sources, machineId, pool } = needs
  for (const [name, written] of Object.entries(servers))
    await unlessBad(needs, `mcp.servers.${name}`, async () => {
      const named = SourceName.safeParse(name)
      if (!named.success)
        throw new Problem('bad_source', `the name ${named.error.issues[0]?.message ?? 'does not fit'}`)
      const parsed = SourceConfig.safeParse(asWritten(written))
      if (!parsed.success)
        throw new Problem(
          'bad_source',
          parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
        )
      const row = await findSource(pool.db, name)
      if (!row) return void (await sources.add(configuration, { name, config: parsed.data }, 'yaml'))
      if (row.machineId !== machineId || row.origin !== 'yaml')
        throw new Problem(
          'source_name_taken',
          `there is already a source ${name} that does not come from this file`,
        )
      if (!isSame(row, needs.seal, parsed.data)) await sources.replace(configuration, name, parsed.data)
    })
  for (const { name, origin } of sources.rows())
    if (origin === 'yaml' && !Object.hasOwn(servers, name))
      await unlessBad(needs, `mcp.servers.${name}`, () => sources.remove(configuration, name, 'yaml'))
}

/** Makes sources of what somebody wrote into `mcp-config.json`. What we wrote there ourselves is known again. */
export async function takeFile(needs: Needs): Promise<void> {
  for (const [name, entry] of Object.entries(needs.file.read()))
    await unlessBad(needs, `mcp-config.json: ${name}`, () => takeEntry(needs, name, entry))
}

async function takeEntry(
  { pool, machineId, seal, sources, file }: Needs,
  name: string,
  entry: Entry,
): Promise<void> {
  const row = await findSource(pool.db, name)
  const isOurs = row?.machineId === machineId
  if (row && isOurs && isEqual(entry, entryOf(row))) return file.settled(name)
  const named = SourceName.safeParse(name)
  if (!named.success)
    throw new Problem('bad_source', `the name ${named.error.issues[0]?.message ?? 'does not fit'}`)
  const config = configIn(entry)
  if ('why' in config) throw new Problem('bad_source', config.why)
  if (!row) await sources.add('mcp-config.json', { name, config }, 'file')
  else if (isOurs && row.origin === 'file')
    await sources.replace('mcp-config.json', name, withKept(row, config, seal))
  else if (isOurs) {
    file.settled(name)
    throw new Problem('source_name_taken', 'it was registered otherwise: what is registered counts')
  } else throw new Problem('source_name_taken', 'another machine has a source of this name')
  file.settled(name)
}

/** A secret that the file only names stays what it was. */
function withKept(row: SourceRow, config: SourceConfig, seal: Seal): SourceConfig {
  const before = wholeConfig(row, seal)
  const kept = structuredClone(config)
  for (const [path] of hideSecrets(before).secrets)
    if (isPlaceholder(row.name, config, row.config, path)) putAt(kept, path, valueAt(before, path))
  return kept
}

async function unlessBad({ log }: Needs, where: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (isDatabaseAway(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ where, reason }, 'a source that is written down cannot be used')
  }
}

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

/** The variables of the file have been filled in: what still looks like one is meant as it stands. */
const asWritten = ({ document, ...written }: Config['mcp']['servers'][string]) => ({
  ...Object.fromEntries(Object.entries(defined(written)).map(([key, value]) => [key, plain(value)])),
  ...(document !== undefined && { document }),
})

function plain(tree: unknown): unknown {
  if (typeof tree === 'string') return tree.replaceAll('${', () => '$${')
  if (Array.isArray(tree)) return tree.map(plain)
  if (typeof tree !== 'object' || tree === null) return tree
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, plain(value)]))
}
