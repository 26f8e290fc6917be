import type { Agent, AgentAdapter, AgentPreset } from '#contract/agent.ts'
import type { CreateCapability } from '#contract/capability.ts'

/** What is known of a coding agent before looking at any machine. */
export interface KnownAgent {
  key: AgentPreset
  name: string
  adapter: AgentAdapter
  /** What its program is called. */
  binary: string
  /** What its adapter cannot know. */
  args: readonly string[]
  /** What of our environment it is passed, if it is there. */
  envAllowlist: readonly string[]
  install: string
  /** What to do when it is not logged in. */
  login: string
  /** The first with everything that its adapter speaks. */
  leastVersion: string
}

/** How to reach the outside where that is not plain. */
const network = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
]
const google = ['GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION']
const aws = [
  'AWS_REGION',
  'AWS_PROFILE',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
]

/** What says, in Claude's environment or settings, that it has a key of its own. */
export const claudeKeys = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN']
/** What says that it asks a cloud instead, by the cloud's own login. */
export const claudeClouds = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY']
export const codexKeys = ['OPENAI_API_KEY', 'CODEX_API_KEY']
export const geminiKeys = ['GEMINI_API_KEY', 'GOOGLE_API_KEY']
/** Any of these is enough for opencode to have a model. */
export const opencodeKeys = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'XAI_API_KEY',
  'DEEPSEEK_API_KEY',
  'GITHUB_TOKEN',
  'OPENCODE_API_KEY',
]

export const presets: Readonly<Record<AgentPreset, KnownAgent>> = {
  claude: {
    key: 'claude',
    name: 'Claude Code',
    adapter: 'claude',
    binary: 'claude',
    args: [],
    envAllowlist: [
      ...claudeKeys,
      ...claudeClouds,
      'ANTHROPIC_BASE_URL',
      'ANTHROPIC_VERTEX_PROJECT_ID',
      'CLOUD_ML_REGION',
      'CLAUDE_CONFIG_DIR',
      ...aws,
      ...google,
      ...network,
    ],
    install: 'npm install -g @anthropic-ai/claude-code',
    login: 'run `claude` in a terminal and log in with /login, or let it have ANTHROPIC_API_KEY',
    leastVersion: '2.0.0',
  },
  codex: {
    key: 'codex',
    name: 'Codex',
    adapter: 'codex',
    binary: 'codex',
    args: [],
    envAllowlist: [...codexKeys, 'OPENAI_BASE_URL', 'CODEX_HOME', ...network],
    install: 'npm install -g @openai/codex',
    login: 'run `codex login` in a terminal, or let it have OPENAI_API_KEY',
    leastVersion: '0.120.0',
  },
  gemini: {
    key: 'gemini',
    name: 'Gemini CLI',
    adapter: 'acp',
    binary: 'gemini',
    args: ['--acp', '--skip-trust'],
    envAllowlist: [
      ...geminiKeys,
      'GOOGLE_GEMINI_BASE_URL',
      'GOOGLE_GENAI_USE_VERTEXAI',
      'GOOGLE_GENAI_USE_GCA',
      ...google,
      ...network,
    ],
    install: 'npm install -g @google/gemini-cli',
    login: 'run `gemini` in a terminal and log in, or let it have GEMINI_API_KEY',
    leastVersion: '0.33.0',
  },
  opencode: {
    key: 'opencode',
    name: 'opencode',
    adapter: 'acp',
    binary: 'opencode',
    args: ['acp'],
    envAllowlist: [
      ...opencodeKeys,
      'OPENCODE_CONFIG',
      'OPENCODE_CONFIG_CONTENT',
      'XDG_CONFIG_HOME',
      'XDG_DATA_HOME',
      ...network,
    ],
    install: 'npm install -g opencode-ai',
    login: 'run `opencode auth login` in a terminal',
    leastVersion: '1.0.0',
  },
  // Comes last: nobody is given it who has a real one.
  demo: {
    key: 'demo',
    name: 'Demo agent',
    adapter: 'acp',
    binary: 'signalbox-demo',
    args: [],
    envAllowlist: [],
    install: 'it comes with Signalbox: install that again',
    login: 'it needs none: it is a script, and no model',
    leastVersion: '1.0.0',
  },
}

/**
 * Which of the known ones an agent is: as it was made, or by a protocol that nobody else speaks and the program's name. One
 * by another name may be a wrapper, which knows by itself how to run and how to log in.
 */
export function knownAgent({
  preset,
  adapter,
  binaryPath,
}: Pick<Agent, 'preset' | 'adapter' | 'binaryPath'>): KnownAgent | undefined {
  if (preset !== null && Object.hasOwn(presets, preset)) return presets[preset as AgentPreset]
  const known = adapter === 'claude' || adapter === 'codex' ? presets[adapter] : undefined
  return known && isItself(known, binaryPath) ? known : undefined
}

export const isItself = ({ binary }: KnownAgent, binaryPath: string | null): boolean =>
  binaryPath?.split('/').at(-1) === binary

/** What every one of them can be asked for: the prompt as it is. */
export const askCapability: CreateCapability = {
  key: 'ask',
  label: 'Ask',
  interactionMode: 'prompt',
  commandTokens: null,
  promptTemplate: null,
  argsSchema: { type: 'object' },
  dangerLevel: 1,
  annotations: {},
  timeoutSec: 3600,
  maxOutputBytes: 209_715_200,
}

/** `2.1.325 (Claude Code)`, `codex-cli 0.166.0`, `0.61.0`: the first thing that looks like one. */
export const versionIn = (output: string): string | undefined => /\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(output)?.[0]

/** By its three numbers; what comes after them does not make it older. */
export function isOlder(version: string, least: string): boolean {
  const [ours, theirs] = [numbersOf(version), numbersOf(least)]
  const at = ours.findIndex((number, place) => number !== theirs[place])
  return at >= 0 && (ours[at] ?? 0) < (theirs[at] ?? 0)
}

const numbersOf = (version: string): number[] => version.split('-', 1)[0]!.split('.').map(Number)
