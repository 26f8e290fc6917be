import type { ToolsListed } from '#contract/tool.ts'
import { homeOf } from '#lib/home.ts'
import { findRunning } from '../connection.ts'

export const snippetClients = ['claude', 'codex', 'gemini'] as const
export type SnippetClient = (typeof snippetClients)[number]

const usual = 'http://127.0.0.1:4100'
const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/** What a client has to be told of us, in its own form. The token is named, never written. */
export function snippetFor(client: SnippetClient, env: NodeJS.ProcessEnv, tools?: ToolsListed): string {
  const base = env['SIGNALBOX_URL'] || findRunning(homeOf(env, process.cwd())) || usual
  const url = new URL(tools ? `/mcp?tools=${tools}` : '/mcp', base).href
  switch (client) {
    case 'claude': {
      const headers = { Authorization: 'Bearer ${SIGNALBOX_TOKEN}' }
      return json({ mcpServers: { signalbox: { type: 'http', url, headers } } })
    }
    case 'codex':
      return `[mcp_servers.signalbox]\nurl = ${JSON.stringify(url)}\nbearer_token_env_var = "SIGNALBOX_TOKEN"\n`
    case 'gemini': {
      const headers = { Authorization: 'Bearer $SIGNALBOX_TOKEN' }
      return json({ mcpServers: { signalbox: { httpUrl: url, headers } } })
    }
  }
}

export const placeOf: Record<SnippetClient, string> = {
  claude: '.mcp.json in the project, for Claude Code',
  codex: 'config.toml in ~/.codex, for Codex',
  gemini: 'settings.json in ~/.gemini, for Gemini CLI',
}
