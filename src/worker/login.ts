import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentPreset } from '#contract/agent.ts'
import type { Login } from '#contract/preset.ts'
import { claudeClouds, claudeKeys, codexKeys, geminiKeys, opencodeKeys, presets } from '#domain/presets.ts'

// Whether an agent's program is logged in, told by the variables it would get and by its own files: nobody is asked, and
// nothing of what they hold goes anywhere. `no` is said only where every way in is known to be closed.

export interface Surroundings {
  /** What the program would be passed. */
  env: Readonly<Record<string, string>>
  /** Where it would work, if that is known: some read settings there. */
  cwd?: string | undefined
  /** What it would be started with beside what its adapter says. */
  args?: readonly string[]
}

const ways: Record<AgentPreset, (surroundings: Surroundings) => Promise<Login>> = {
  claude: claudeLogin,
  codex: codexLogin,
  gemini: geminiLogin,
  opencode: opencodeLogin,
  demo: async () => yes(presets.demo.login),
}

export const loginOf = (key: AgentPreset, surroundings: Surroundings): Promise<Login> =>
  ways[key](surroundings)

const yes = (how: string): Login => ({ state: 'yes', how })
const no = (key: AgentPreset): Login => ({ state: 'no', how: presets[key].login })
const unknown = (key: AgentPreset): Login => ({ state: 'unknown', how: presets[key].login })
const byVariable = (names: readonly string[], env: Record<string, unknown>): string | undefined =>
  names.find((name) => typeof env[name] === 'string' && env[name] !== '')

async function claudeLogin({ env, cwd, args = [] }: Surroundings): Promise<Login> {
  const variable = byVariable([...claudeKeys, ...claudeClouds], env)
  if (variable) return yes(variable)
  const home = env['HOME'] ?? '/'
  const folder = env['CLAUDE_CONFIG_DIR'] || join(home, '.claude')
  const credentials = await jsonIn(join(folder, '.credentials.json'))
  if (isObject(credentials) && Object.keys(credentials).length > 0)
    return yes(join(folder, '.credentials.json'))
  const settings = [
    '/etc/claude-code/managed-settings.json',
    join(folder, 'settings.json'),
    ...(cwd ? [join(cwd, '.claude/settings.json'), join(cwd, '.claude/settings.local.json')] : []),
  ]
  const read = await Promise.all(settings.map(jsonIn))
  for (const [place, setting] of read.entries()) {
    if (!isObject(setting)) continue
    if (setting['apiKeyHelper']) return yes(`apiKeyHelper in ${settings[place]}`)
    const named = isObject(setting['env']) && byVariable([...claudeKeys, ...claudeClouds], setting['env'])
    if (named) return yes(`${named} in ${settings[place]}`)
  }
  const own = await jsonIn(join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'))
  if (isObject(own) && own['primaryApiKey']) return yes('a key of its own')
  // Settings elsewhere, a gateway that asks for no key, a keychain: there may be ways that we do not see.
  const isClosed =
    ![...read, credentials, own].includes(unreadable) &&
    !args.some((argument) => argument.startsWith('--settings')) &&
    !env['ANTHROPIC_BASE_URL'] &&
    process.platform !== 'darwin'
  return isClosed ? no('claude') : unknown('claude')
}

async function codexLogin({ env, args = [] }: Surroundings): Promise<Login> {
  const variable = byVariable(codexKeys, env)
  if (variable) return yes(variable)
  const folder = codexHome(env)
  const auth = await jsonIn(join(folder, 'auth.json'))
  if (isObject(auth) && (auth['OPENAI_API_KEY'] || auth['tokens'])) return yes(join(folder, 'auth.json'))
  const config = await textIn(join(folder, 'config.toml'))
  const keys = envKeysIn(config ?? '')
  const named = byVariable(keys, env)
  if (named) return yes(named)
  // Another provider may ask for no key, and credentials may be in a keyring or in a profile that is chosen by an argument.
  const mayBeOpen = /model_provider|profile|credentials_store/.test(config ?? '') || args.length > 0
  return auth === unreadable || (mayBeOpen && keys.length === 0) ? unknown('codex') : no('codex')
}

export const codexHome = (env: Readonly<Record<string, string>>): string =>
  env['CODEX_HOME'] || join(env['HOME'] ?? '/', '.codex')

/** The variables from which the providers in Codex's own configuration take their keys. */
export const envKeysIn = (toml: string): string[] => [
  ...new Set(
    [...toml.matchAll(/^\s*env_key\s*=\s*["']([A-Za-z_][A-Za-z0-9_]*)["']/gm)].map(([, name]) => name!),
  ),
]

async function geminiLogin({ env, cwd }: Surroundings): Promise<Login> {
  const variable = byVariable(geminiKeys, env)
  if (variable) return yes(variable)
  if (env['GOOGLE_APPLICATION_CREDENTIALS'] && env['GOOGLE_GENAI_USE_VERTEXAI'])
    return yes('GOOGLE_APPLICATION_CREDENTIALS')
  const home = env['HOME'] ?? '/'
  const folder = join(home, '.gemini')
  const credentials = await jsonIn(join(folder, 'oauth_creds.json'))
  if (isObject(credentials) && (credentials['refresh_token'] || credentials['access_token']))
    return yes(join(folder, 'oauth_creds.json'))
  // It reads keys from files beside the work and in the home, and newer ones keep their login in a keychain.
  const files = [join(folder, '.env'), join(home, '.env'), ...(cwd ? envFilesAbove(cwd) : [])]
  const texts = await Promise.all([...files, join(folder, 'settings.json')].map(textIn))
  const hints = /GEMINI_API_KEY|GOOGLE_API_KEY|GOOGLE_APPLICATION_CREDENTIALS|selectedType/
  const mayBeOpen = texts.some((text) => text !== undefined && hints.test(text))
  const isAsked = env['GOOGLE_GENAI_USE_GCA'] || env['GOOGLE_GENAI_USE_VERTEXAI']
  return mayBeOpen || isAsked || credentials === unreadable ? unknown('gemini') : no('gemini')
}

function envFilesAbove(cwd: string): string[] {
  const parts = cwd.split('/')
  const folders = parts.map((_, index) => parts.slice(0, parts.length - index).join('/') || '/')
  return folders.flatMap((folder) => [join(folder, '.gemini/.env'), join(folder, '.env')])
}

/** It has models that ask for no login at all: that it has none is never sure. */
async function opencodeLogin({ env }: Surroundings): Promise<Login> {
  const variable = byVariable([...opencodeKeys, 'OPENCODE_CONFIG', 'OPENCODE_CONFIG_CONTENT'], env)
  if (variable) return yes(variable)
  const data = env['XDG_DATA_HOME'] || join(env['HOME'] ?? '/', '.local/share')
  const auth = await jsonIn(join(data, 'opencode/auth.json'))
  return isObject(auth) && Object.keys(auth).length > 0
    ? yes(join(data, 'opencode/auth.json'))
    : unknown('opencode')
}

const unreadable = Symbol('there, but not to be read')

async function jsonIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    return isMissing(error) ? undefined : unreadable
  }
}

/** Nothing when it is missing; empty when it cannot be read. */
export async function textIn(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: unknown) => (isMissing(error) ? undefined : ''))
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
