import type { Config } from '#config/config.ts'
import type { Agent, AgentPreset } from '#contract/agent.ts'
import { insidePath, proxyVariables } from '#contract/host.ts'
import type { Forward } from '#contract/workspace.ts'
import { knownAgent } from '#domain/presets.ts'
import { insideUrl, keyVariableOf, keyVariables, placeholder, providerNames } from './model-forwards.ts'
import type { Provider } from './model-forwards.ts'

export interface InsideSetting {
  config: Config
  /** Of this process. */
  env: NodeJS.ProcessEnv
  forwards: readonly Forward[]
  /** Whose logins are inside: those have no use for a key. */
  logins: readonly string[]
  home: string
}

type Who = Pick<Agent, 'preset' | 'adapter' | 'binaryPath' | 'envAllowlist'>

const asTheMachine = ['LANG', 'LC_ALL', 'TZ']
/** Files and folders of the machine, which are not inside, and ways out of it that are others there. */
const ofTheMachine = new Set([
  'HOME',
  'PATH',
  'USER',
  'TMPDIR',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'OPENCODE_CONFIG',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'AWS_PROFILE',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  ...Object.keys(proxyVariables),
])
const addresses: Record<Provider, readonly string[]> = {
  anthropic: ['ANTHROPIC_BASE_URL'],
  openai: ['OPENAI_BASE_URL'],
  google: ['GOOGLE_GEMINI_BASE_URL'],
  compatible: ['COMPATIBLE_BASE_URL'],
}
const providersOf: Record<AgentPreset, readonly Provider[]> = {
  claude: ['anthropic'],
  codex: ['openai'],
  gemini: ['google'],
  opencode: ['anthropic', 'openai', 'google', 'compatible'],
  demo: [],
}

/** Which forwards this agent reaches its models by. */
export function waysOf(
  agent: Who,
  { forwards, logins }: Pick<InsideSetting, 'forwards' | 'logins'>,
): Provider[] {
  const key = knownAgent(agent)?.key
  if (key && logins.includes(key)) return []
  const isFor = (name: Provider) =>
    key ? providersOf[key].includes(name) : keyVariables(name).some((one) => agent.envAllowlist.includes(one))
  return providerNames.filter((name) => isFor(name) && forwards.some((one) => one.name === name))
}

/** What an agent knows inside walls. Built from nothing; a key that a forward holds is never in it. */
export function insideEnvironment(agent: Who, setting: InsideSetting): Record<string, string> {
  const { config, env, forwards, home } = setting
  const held = new Set(
    forwards.flatMap(({ name }) => (isProvider(name) ? [...keyVariables(name), ...addresses[name]] : [])),
  )
  const passed = [...asTheMachine, ...agent.envAllowlist]
    .filter((name) => !held.has(name) && !ofTheMachine.has(name))
    .flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]))
  const ways = waysOf(agent, setting)
  return {
    ...Object.fromEntries(passed),
    HOME: home,
    USER: 'agent',
    PATH: insidePath,
    TMPDIR: '/tmp',
    ...proxyVariables,
    ...Object.assign({}, ...ways.map((name) => variablesFor(name, config, env))),
    ...(knownAgent(agent)?.key === 'opencode' && ways.length > 0 && opencodeVariables(ways)),
  }
}

const isProvider = (name: string): name is Provider => Object.hasOwn(addresses, name)

function variablesFor(name: Provider, config: Config, env: NodeJS.ProcessEnv): Record<string, string> {
  const keys =
    name === 'google' ? ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'] : [keyOf(name, config, env)]
  return Object.fromEntries([
    ...keys.map((key) => [key, placeholder]),
    ...addresses[name].map((address) => [address, insideUrl(name)]),
  ])
}

/** Anthropic's clients send a token of a subscription in another way than a key; the others have one variable that all read. */
const keyOf = (name: Provider, config: Config, env: NodeJS.ProcessEnv): string =>
  name === 'anthropic' ? keyVariableOf(name, config, env) : keyVariables(name)[0]!

/** It reads no address from a variable. */
function opencodeVariables(ways: Provider[]): Record<string, string> {
  const suffix: Record<Provider, string> = { anthropic: '/v1', openai: '', google: '/v1beta', compatible: '' }
  const provider = Object.fromEntries(
    ways
      .filter((name) => name !== 'compatible')
      .map((name) => [name, { options: { baseURL: insideUrl(name) + suffix[name], apiKey: placeholder } }]),
  )
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider }), OPENCODE_DISABLE_AUTOUPDATE: '1' }
}

/** Codex takes no address from a variable either. Its own arguments come later, and win. */
export function insideArguments(agent: Who, setting: Pick<InsideSetting, 'forwards' | 'logins'>): string[] {
  if (agent.adapter !== 'codex' || !waysOf(agent, setting).includes('openai')) return []
  const provider = [
    'name = "Signalbox"',
    `base_url = "${insideUrl('openai')}"`,
    'wire_api = "responses"',
    'env_key = "OPENAI_API_KEY"',
  ].join(', ')
  return ['-c', 'model_provider="signalbox"', '-c', `model_providers.signalbox={ ${provider} }`]
}
