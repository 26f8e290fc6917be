// Writes docs/configuration.md from the tables that the configuration is read with. A test says when it is stale.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ChangeSettings, SettingKey } from '#contract/settings.ts'
import { unwrap } from '#config/check.ts'
import { variables } from '#config/environment.ts'
import { shapeAt } from '#config/shape.ts'
import { settingPlaces } from '#domain/settings.ts'
import { padTo, textWidth } from '#lib/text-width.ts'
import { formatDuration, formatSize } from '#lib/units.ts'

export const pageFile = join(import.meta.dirname, '../docs/configuration.md')

interface Entry {
  path: string
  wanted: string
  byDefault: string
  meaning: string
}

const Facts = z.object({ description: z.string(), wanted: z.string(), byDefault: z.string() }).partial()

/** What a shape or anything inside its wrappings says about itself. */
function factsOf(shape: z.core.$ZodType): z.infer<typeof Facts> {
  const own = Facts.parse(z.globalRegistry.get(shape) ?? {})
  const wrapped =
    shape instanceof z.ZodDefault || shape instanceof z.ZodPrefault || shape instanceof z.ZodOptional
  return wrapped ? { ...factsOf(shape.unwrap()), ...own } : own
}

function entriesOf(shape: z.core.$ZodType, path: string): Entry[] {
  const inner = unwrap(shape)
  const facts = factsOf(shape)
  if (inner instanceof z.ZodObject) return under(inner, path)
  const children = unwrap(
    inner instanceof z.ZodArray ? inner.element : inner instanceof z.ZodRecord ? inner.valueType : inner,
  )
  const nested = children instanceof z.ZodObject
  const entry: Entry = {
    path,
    wanted: wantedOf(inner, facts.wanted),
    byDefault: facts.byDefault ?? defaultOf(shape, facts.wanted ?? ''),
    meaning: facts.description ?? '',
  }
  return [
    entry,
    ...(nested ? under(children, `${path}${inner instanceof z.ZodArray ? '[]' : '.<name>'}`) : []),
  ]
}

const under = (shape: z.ZodObject, path: string): Entry[] =>
  Object.entries(shape.shape).flatMap(([key, child]) => entriesOf(child, `${path}${path && '.'}${key}`))

function wantedOf(shape: z.core.$ZodType, wanted: string | undefined): string {
  if (shape instanceof z.ZodArray)
    return `a list: ${wantedOf(unwrap(shape.element), factsOf(shape.element).wanted)}`
  if (shape instanceof z.ZodRecord) return 'a map of names'
  if (shape instanceof z.ZodObject) return 'keys as below'
  if (shape instanceof z.ZodUnion)
    return shape.options.map((option) => wantedOf(unwrap(option), factsOf(option).wanted)).join(', or ')
  if (shape instanceof z.ZodEnum) return shape.options.join(', ')
  return (wanted ?? 'an address').replace(/ \(in quotes.*\)/, '').replace(/^one of /, '')
}

function defaultOf(shape: z.core.$ZodType, wanted: string): string {
  if (!(shape instanceof z.ZodDefault)) return '–'
  const value: unknown = shape.def.defaultValue
  if (typeof value === 'number' && wanted.startsWith('a time')) return formatDuration(value)
  if (typeof value === 'number' && wanted.startsWith('a size')) return formatSize(value)
  if (typeof value === 'object') return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '\\<')
const code = (text: string) => `\`${text}\``
/** Aligned as the formatter aligns, so that neither undoes the other's work. */
function table(titles: string[], rows: string[][]): string {
  const widths = titles.map((_, index) =>
    Math.max(3, ...[titles, ...rows].map((row) => textWidth(row[index] ?? ''))),
  )
  const line = (row: string[]) =>
    `| ${row.map((text, index) => padTo(text, widths[index] ?? 0)).join(' | ')} |`
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

export function configurationPage(): string {
  const tree = entriesOf(shapeAt({ folder: '/', userHome: '/' }), '')
  const entryAt = new Map(tree.map((entry) => [entry.path, entry]))
  const settingOf = new Map(SettingKey.options.map((key) => [settingPlaces[key].tree, key]))

  const environment = variables.map(({ name, aliases = [], path }) => {
    const { byDefault = '', meaning = '' } = entryAt.get(path) ?? {}
    const names = [name, ...aliases].map(code).join(', also ')
    return [names, cell(byDefault), cell(meaning), code(path)]
  })
  const sections = [...new Set(tree.map(({ path }) => path.split(/[.[]/)[0] ?? ''))].map((section) => {
    const rows = tree
      .filter(({ path }) => path.split(/[.[]/)[0] === section)
      .map(({ path, wanted, byDefault, meaning }) => [
        code(path),
        cell(wanted),
        cell(byDefault),
        cell(meaning),
      ])
    return `### ${section}\n\n${table(['key', 'value', 'default', 'meaning'], rows)}`
  })
  const settings = [...settingOf].map(([path, key]) => [
    code(key),
    code(path),
    cell(ChangeSettings.shape[key].unwrap().description ?? ''),
  ])
  return page(
    table(['variable', 'default', 'meaning', 'YAML key'], environment),
    sections.join('\n\n'),
    table(['setting', 'YAML key', 'meaning'], settings),
  )
}

const ours = table(
  ['variable', 'default', 'meaning'],
  [
    ['`SIGNALBOX_HOME`', '`~/.signalbox`', "All durable state. `token` in it is the owner's token"],
    ['`SIGNALBOX_CONFIG`', '`signalbox.config.yaml`, if there is one', 'The YAML file'],
    ['`SIGNALBOX_URL`', 'what runs in this home', 'Which Signalbox the command line talks to'],
    ['`SIGNALBOX_TOKEN`', '`token` in the home', 'The token that the command line shows there'],
    [
      '`DOCKER_HOST`',
      '`unix:///var/run/docker.sock`, or `docker.sock` in `XDG_RUNTIME_DIR`',
      'Where the Docker engine is: `unix:///path` or `tcp://host:port`',
    ],
    ['`NO_COLOR`', '–', 'Set to anything: no colours'],
  ],
)

const page = (
  environment: string,
  yaml: string,
  settings: string,
) => `<!-- Written by scripts/configuration-page.ts. Change the tables in src/config, then run it again. -->

# Configuration

Signalbox needs none: every value has a default that works on one machine. What you set is checked once, at the start.
All mistakes are told together, each with its place and what to write instead, and the exit code is 78.

What counts, from the strongest: [settings](#settings) in the database, the [environment](#environment), the
[YAML file](#yaml), the default.

- Times are \`250ms\`, \`30s\`, \`5m\`, \`24h\`, \`7d\` or a plain number of milliseconds.
- Sizes are \`64KB\`, \`128MB\`, \`5GB\` or a plain number of bytes; 1 KB is 1024 bytes.
- Yes or no is \`true\` or \`false\` (also \`yes\`, \`on\`, \`1\` and \`no\`, \`off\`, \`0\`).
- A path may start with \`~/\`. A relative one starts at the folder of the YAML file, or, in the environment, at the
  folder where Signalbox was started.

## Environment

An empty variable counts as unset. Two names of one variable may both be set only if they agree.

${ours}

${environment}

\`PORT\` of the bridge (\`bridge.*\`) is 3002 unless it is set. Lists of folders are separated by colons, \`AGENT_ARGS\` by
spaces. A \`HOST\` that other machines can reach needs \`PUBLIC_URL\` with https, or \`TRUST_PROXY=true\` with a proxy of yours
in front.

## YAML

\`\${NAME}\` in a value is replaced by that variable, which must be set; \`$\${NAME}\` stays as \`\${NAME}\`. Unknown keys are
mistakes. A key without a value counts as not written.

\`\`\`yaml
server:
  port: 4100
  cors:
    enabled: true
    origins: ['http://localhost:3000']
models:
  provider: anthropic
  anthropic:
    apiKey: \${ANTHROPIC_API_KEY}
logging:
  level: info
  outputs:
    - type: console
    - type: file
      path: ./logs/signalbox.log
\`\`\`

${yaml}

## Settings

What the owner can change while it runs, with \`GET\` and \`PATCH /api/v1/settings\`. A change holds in every process at
once; null takes it back. Times are in milliseconds and sizes in bytes. All processes read the settings again on SIGHUP
and every minute.

${settings}
`

if (import.meta.main) writeFileSync(pageFile, configurationPage())
