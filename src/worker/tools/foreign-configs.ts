import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImportFrom } from '#contract/source.ts'
import { hasCode } from '#lib/error-code.ts'
import { withoutComments } from '#lib/json-comments.ts'
import { readToml } from '#lib/toml.ts'
import { valueAt } from '#lib/tree.ts'
import { Problem } from '#domain/problem.ts'
import type { Entry } from './entry.ts'

// What other programs on this machine have been told of MCP servers, in the user's own folder.

export interface Found {
  name: string
  entry: Entry
}

interface Place {
  /** The user's own folder. */
  home: string
  /** Where people work: a project may have servers of its own. */
  folders: readonly string[]
  env: NodeJS.ProcessEnv
}

export const foreignConfigs: Record<ImportFrom, (place: Place) => Promise<Found[]>> = {
  async claude({ home, folders }) {
    const own = await readTree(join(home, '.claude.json'), asJson)
    const projects = Object.entries(mapOf(valueAt(own, ['projects']))).flatMap(([folder, project]) =>
      entriesIn(valueAt(project, ['mcpServers'])).map((found) => inFolder(found, folder)),
    )
    const shared = await Promise.all(
      folders.map(async (folder) => {
        const file = await readTree(join(folder, '.mcp.json'), asJson)
        return entriesIn(valueAt(file, ['mcpServers'])).map((found) => inFolder(found, folder))
      }),
    )
    return [...entriesIn(valueAt(own, ['mcpServers'])), ...projects, ...shared.flat()]
  },

  async codex({ home, env }) {
    const folder = env['CODEX_HOME'] || join(home, '.codex')
    const tree = await readTree(join(folder, 'config.toml'), readToml)
    return entriesIn(valueAt(tree, ['mcp_servers'])).map(({ name, entry }) => ({
      name,
      entry: fromCodex(entry),
    }))
  },

  async gemini({ home }) {
    const tree = await readTree(join(home, '.gemini/settings.json'), asJson)
    return entriesIn(valueAt(tree, ['mcpServers'])).map(({ name, entry }) => ({
      name,
      entry: fromGemini(entry),
    }))
  },
}

/** A program of a project is started in the project. */
const inFolder = ({ name, entry }: Found, folder: string): Found => ({
  name,
  entry: typeof entry['command'] === 'string' ? { cwd: folder, ...entry } : entry,
})

function fromCodex(entry: Entry): Entry {
  const passed = listOf(entry['env_vars']).map((name): [string, string] => [name, `\${${name}}`])
  const fromEnvironment = Object.entries(mapOf(entry['env_http_headers'])).map(([header, variable]) => [
    header,
    `\${${String(variable)}}`,
  ])
  const token = entry['bearer_token_env_var']
  const seconds = entry['tool_timeout_sec']
  return {
    ...entry,
    env: { ...Object.fromEntries(passed), ...mapOf(entry['env']) },
    headers: { ...mapOf(entry['http_headers']), ...Object.fromEntries(fromEnvironment) },
    ...(typeof token === 'string' && { auth: { type: 'bearer', token: `\${${token}}` } }),
    ...(typeof seconds === 'number' && { timeout: Math.round(seconds * 1000) }),
    ...(Array.isArray(entry['enabled_tools']) && { tools: entry['enabled_tools'] }),
  }
}

function fromGemini(entry: Entry): Entry {
  const { httpUrl, url, includeTools, oauth: _oauth, tools: _tools, ...rest } = entry
  const env = Object.entries(mapOf(entry['env'])).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replace(/^\$([A-Za-z_]\w*)$/, '${$1}') : value,
  ])
  const address =
    httpUrl !== undefined
      ? { type: 'http', url: httpUrl }
      : url === undefined
        ? {}
        : { type: entry['type'] ?? 'sse', url }
  return {
    ...rest,
    ...address,
    env: Object.fromEntries(env),
    ...(Array.isArray(includeTools) && { tools: includeTools }),
  }
}

/** Nothing when there is no such file. */
async function readTree(file: string, read: (text: string) => unknown): Promise<unknown> {
  let text
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined
    throw notRead(file, error)
  }
  try {
    return read(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw notRead(file, error)
  }
}

const notRead = (file: string, error: unknown): Problem =>
  new Problem(
    'bad_source',
    `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
  )

const asJson = (text: string): unknown => JSON.parse(withoutComments(text))

const mapOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const entriesIn = (value: unknown): Found[] =>
  Object.entries(mapOf(value)).map(([name, entry]) => ({ name, entry: mapOf(entry) }))
