import type { z } from 'zod'
import { SourceConfig, SourceName } from '#contract/source.ts'
import type { SourceTransport } from '#contract/source.ts'
import type { SourceRow } from '#db/sources.ts'
import { misfitWords } from '#lib/misfit-words.ts'
import { valueAt } from '#lib/tree.ts'
import type { Path } from '#lib/tree.ts'
import { hidden } from './source-secrets.ts'

// A source as it stands in the files of others: `{"mcpServers": {NAME: entry}}`.

export type Entry = Record<string, unknown>

const transports: Record<string, SourceTransport> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamablehttp: 'http',
  remote: 'http',
  sse: 'sse',
  ws: 'websocket',
  websocket: 'websocket',
  openapi: 'openapi',
  langchain: 'langchain',
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** What an entry says, in our words; or why it says nothing that we could use. */
export function configIn(entry: Entry): SourceConfig | { why: string } {
  const said = entry['transport'] ?? entry['type'] ?? (isText(entry['command']) ? 'stdio' : 'http')
  const transport = isText(said) ? transports[said.toLowerCase()] : undefined
  if (!transport) return { why: `its type ${JSON.stringify(said)} is not known` }
  const known = Object.entries(entry).filter(([key, value]) => isField(key) && value !== null)
  const enabled = entry['enabled'] !== false && entry['disabled'] !== true
  const parsed = SourceConfig.safeParse({ ...Object.fromEntries(known), transport, enabled })
  if (parsed.success) return parsed.data
  return { why: misfitsIn(parsed.error) }
}

/** Each with the place where it is. */
export const misfitsIn = ({ issues }: Pick<z.ZodError, 'issues'>): string =>
  issues.map((issue) => `${placeOf(issue).join('.')}: ${misfitWords(issue)}`).join('; ')

const placeOf = (issue: z.core.$ZodIssue): PropertyKey[] =>
  issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path

const isField = (key: string): boolean => Object.hasOwn(SourceConfig.shape, key)

const usual = SourceConfig.parse({ transport: 'stdio', command: '-' })

/** What others read of one of ours: what is usual is left out, and a secret is the name of a variable. */
export function entryOf({ name, config }: Pick<SourceRow, 'name' | 'config'>): Entry {
  const { transport, enabled, ...rest } = config
  const said = Object.entries(rest).filter(
    ([key, value]) =>
      value !== undefined && JSON.stringify(value) !== JSON.stringify(usual[key as keyof SourceConfig]),
  )
  const entry = { type: transport, ...Object.fromEntries(said), ...(enabled ? {} : { disabled: true }) }
  return placeholders(name, entry, []) as Entry
}

/** The variable that stands in other files for what is hidden here. */
export function placeholderOf(source: string, path: Path): string {
  const [first, key] = path
  const words = first === 'env' ? [key] : first === 'auth' ? [source, key] : [source, ...path]
  const name = words
    .join('_')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
  return `\${${first === 'env' ? name : name.toUpperCase()}}`
}

function placeholders(source: string, value: unknown, path: Path): unknown {
  if (isText(value)) return value.replaceAll(hidden, placeholderOf(source, path))
  if (Array.isArray(value)) return value.map((one, index) => placeholders(source, one, [...path, index]))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, placeholders(source, inner, [...path, key])]),
  )
}

/** Whether a value is only what we write in the place of this secret. */
export const isPlaceholder = (
  source: string,
  config: SourceConfig,
  shown: SourceConfig,
  path: Path,
): boolean => {
  const [said, before] = [valueAt(config, path), valueAt(shown, path)]
  return isText(said) && isText(before) && said === before.replaceAll(hidden, placeholderOf(source, path))
}

/** A name of somebody else's, spelled as names are here; nothing where none can be made of it. */
export function fittingName(name: string): string | undefined {
  const fitting = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/__+/g, '_')
    .slice(0, 32)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
  return SourceName.safeParse(fitting).success ? fitting : undefined
}
