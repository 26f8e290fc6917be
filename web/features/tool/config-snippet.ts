import type { SourceTransport } from '../../../src/contract/source.ts'

export interface FoundServer {
  name: string
  config: Record<string, unknown> & { transport: SourceTransport }
  /** Where it is, in a line. */
  place: string
}

export type Snippet =
  | { servers: FoundServer[]; leftOut: { name: string; why: SnippetFault }[] }
  | { fault: SnippetFault }
export type SnippetFault = 'not-json' | 'no-servers' | 'no-place' | 'unknown-kind'

type Table = Record<string, unknown>
const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** As other programs have it: under which key the servers are. */
const keys = ['mcpServers', 'mcp_servers', 'servers', 'context_servers', 'mcp']

/** Reads a piece of another program's configuration: Claude, Cursor, VS Code, Gemini CLI, opencode, Zed, or ours. */
export function readSnippet(written: string): Snippet {
  const value = parsed(written)
  if (!isTable(value)) return { fault: 'not-json' }
  const found = serversIn(value)
  if (!found) return { fault: 'no-servers' }
  const read = Object.entries(found).map(([name, config]) => readServer(name, config))
  const servers = read.filter((one) => 'config' in one)
  if (servers.length === 0 && read.length === 0) return { fault: 'no-servers' }
  return { servers, leftOut: read.filter((one) => 'why' in one) }
}

/** Whether what somebody pastes somewhere is meant as a configuration. */
export const looksLikeSnippet = (written: string): boolean =>
  /^\s*["{]/.test(written) && written.includes('{') && 'servers' in readSnippet(written)

function serversIn(value: Table): Table | undefined {
  for (const key of keys) {
    const inner = value[key]
    if (isTable(inner)) return isServer(inner) ? { [key]: inner } : (serversIn(inner) ?? inner)
  }
  if (isServer(value)) return { [text(value['name']) ?? 'server']: value }
  const isAllServers =
    Object.keys(value).length > 0 && Object.values(value).every((one) => isTable(one) && isServer(one))
  return isAllServers ? value : undefined
}

const isServer = (value: Table): boolean =>
  ['command', 'url', 'httpUrl', 'serverUrl'].some(
    (key) => typeof value[key] === 'string' || Array.isArray(value[key]),
  )

function readServer(given: string, told: unknown): FoundServer | { name: string; why: SnippetFault } {
  const name = sourceName(given)
  if (!isTable(told)) return { name, why: 'no-place' }
  // Zed has what is started in an object of its own.
  const config = isTable(told['command'])
    ? { ...told, ...told['command'], command: told['command']['path'] }
    : told
  const shared = {
    ...(isTable(config['headers']) && { headers: named(config['headers']) }),
    ...(typeof config['timeout'] === 'number' && { timeout: config['timeout'] }),
    ...((config['disabled'] === true || config['enabled'] === false) && { enabled: false }),
  }
  const url = text(config['httpUrl']) ?? text(config['url']) ?? text(config['serverUrl'])
  if (url !== undefined) {
    const transport = transportOf(config, url)
    if (!transport) return { name, why: 'unknown-kind' }
    return { name, config: { transport, url: variables(url), ...shared }, place: url }
  }
  const [command, ...first] = [config['command']].flat().flatMap((word) => text(word) ?? [])
  if (command === undefined) return { name, why: 'no-place' }
  const args = [...first, ...(Array.isArray(config['args']) ? config['args'].map(String) : [])].map(variables)
  const env = isTable(config['env']) ? config['env'] : config['environment']
  const cwd = text(config['cwd'])
  return {
    name,
    config: {
      transport: 'stdio',
      command: variables(command),
      args,
      ...(isTable(env) && { env: named(env) }),
      ...(cwd !== undefined && { cwd }),
      ...shared,
    },
    place: [command, ...args].join(' '),
  }
}

const kinds: Record<string, SourceTransport> = {
  http: 'http',
  https: 'http',
  remote: 'http',
  streamable: 'http',
  streamablehttp: 'http',
  sse: 'sse',
  ws: 'websocket',
  wss: 'websocket',
  websocket: 'websocket',
}

/** As it is said, or as its address tells. */
function transportOf({ type, transport }: Table, url: string): SourceTransport | undefined {
  const said = text(type) ?? text(transport)
  if (said !== undefined) return kinds[said.toLowerCase().replaceAll(/[^a-z]/g, '')]
  if (/^wss?:/.test(url)) return 'websocket'
  return /\/sse\/?(?:\?|$)/.test(url) ? 'sse' : 'http'
}

/** `${env:NAME}` is written `${NAME}` here. */
const variables = (value: string): string => value.replaceAll(/\$\{env:(\w+)\}/g, '${$1}')

const named = (table: Table): Record<string, string> =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [name, variables(String(value))]))

/** A name that a source may have: others allow spaces, dots and slashes. */
export const sourceName = (name: string): string =>
  name
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^[-_]+|[-_]+$/g, '')
    .slice(0, 32)
    .replace(/[-_]+$/, '') || 'server'

/** JSON as people keep it: with comments, with a comma too many, or without the outer brackets. */
function parsed(written: string): unknown {
  const plain = written.replaceAll(
    /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (_, string?: string) => string ?? '',
  )
  const tidy = plain
    .replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, string?: string) => string ?? '')
    .trim()
  for (const one of [tidy, `{${tidy.replace(/,$/, '')}}`]) {
    try {
      return JSON.parse(one) as unknown
    } catch {
      // The next form, or none.
    }
  }
  return undefined
}
