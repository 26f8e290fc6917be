import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentAdapter } from '#contract/agent.ts'

/** A real command-line agent, and in what it differs from the others. */
export interface RealAgent {
  adapter: AgentAdapter
  program: string
  args: string[]
  /** Writes what it wants to find in its home; answers with the variables it is started with. */
  prepare(home: string, modelUrl: string): Promise<Record<string, string>>
  /** With which of its models it hands MCP's tools straight to the model, where that differs. */
  modelForMcp?: string
  /** What it makes of a model that refuses, or falls silent, once. */
  after: Record<'429' | '500' | 'a dropped stream', 'recovers' | 'fails'>
  /** Whether it lets the model speak again after a refused tool. */
  afterRefusal: 'goes on' | 'ends its turn'
}

const recovers = { '429': 'recovers', '500': 'recovers', 'a dropped stream': 'recovers' } as const

const forClaude = (modelUrl: string) => ({
  ANTHROPIC_BASE_URL: modelUrl,
  ANTHROPIC_API_KEY: 'none',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_MAX_RETRIES: '2',
  ENABLE_TOOL_SEARCH: 'false', // it would hand the model a search for MCP's tools instead of the tools
})

const claude: RealAgent = {
  adapter: 'claude',
  program: 'claude',
  args: [],
  prepare: async (_, modelUrl) => forClaude(modelUrl),
  after: recovers,
  afterRefusal: 'goes on',
}

const codex: RealAgent = {
  adapter: 'codex',
  program: 'codex',
  args: [],
  async prepare(home, modelUrl) {
    await mkdir(join(home, '.codex'))
    await writeFile(
      join(home, '.codex/config.toml'),
      `model = "gpt-5.5"
model_provider = "loopback"
check_for_update_on_startup = false
[model_providers.loopback]
name = "Loopback"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
request_max_retries = 1
stream_max_retries = 1
`,
    )
    return { LOOPBACK_KEY: 'none' }
  },
  modelForMcp: 'plain', // the models that it knows are given a search for tools instead
  after: { ...recovers, '429': 'fails' },
  afterRefusal: 'goes on',
}

const gemini: RealAgent = {
  adapter: 'acp',
  program: 'gemini',
  args: ['--acp', '--skip-trust'],
  prepare: async (_, modelUrl) => ({
    GEMINI_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_CLI_NO_RELAUNCH: 'true',
  }),
  after: { ...recovers, 'a dropped stream': 'fails' },
  afterRefusal: 'goes on',
}

const opencode: RealAgent = {
  adapter: 'acp',
  program: 'opencode',
  args: ['acp'],
  async prepare(home, modelUrl) {
    const config = join(home, 'opencode.json')
    const limit = { context: 100_000, output: 8_000 }
    await writeFile(
      config,
      JSON.stringify({
        model: 'loopback/plain',
        small_model: 'loopback/plain',
        permission: { bash: 'ask', edit: 'ask' },
        provider: {
          loopback: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Loopback',
            options: { baseURL: `${modelUrl}/v1`, apiKey: 'none' },
            models: { plain: { name: 'Plain', tool_call: true, limit } },
          },
        },
      }),
    )
    return { OPENCODE_CONFIG: config, OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }
  },
  after: recovers,
  afterRefusal: 'ends its turn',
}

const claudeAgentAcp: RealAgent = {
  ...claude,
  adapter: 'acp',
  program: 'claude-agent-acp',
}

export const agents = { claude, codex, gemini, opencode, 'claude-agent-acp': claudeAgentAcp }
export type AgentName = keyof typeof agents
