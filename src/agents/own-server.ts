import type { McpServer } from '#contract/agent-event.ts'
import { OWN_SERVER } from '#contract/keeper-protocol.ts'
import type { OwnTools, TurnAsked } from '#contract/keeper.ts'

/** How long a call of a tool of ours may take, where an agent asks: a person may have to answer first. */
export const patienceMs = 7 * 24 * 60 * 60 * 1000

type Asked = Pick<TurnAsked, 'mcpServers' | 'ownTools'>

/** The servers of tools that an agent gets: those of its own, and ours, which nothing else can be called. */
export function serversOf({ mcpServers, ownTools }: Asked): McpServer[] {
  if (!ownTools) return mcpServers
  return [...mcpServers.filter(({ name }) => name !== OWN_SERVER), ownServer(ownTools)]
}

const ownServer = ({ url, token }: OwnTools): McpServer => ({
  type: 'http',
  name: OWN_SERVER,
  url,
  headers: { Authorization: `Bearer ${token}` },
})

/** Ours for an agent that takes no HTTP, where there is such a thing. */
export function ownStdioServer({ ownTools }: Pick<Asked, 'ownTools'>): McpServer | undefined {
  if (!ownTools?.program) return undefined
  return { type: 'stdio', name: OWN_SERVER, ...ownTools.program, env: ownVariables(ownTools) }
}

/** By these every program of ours finds its way back. */
export const ownVariables = ({ url, token }: OwnTools): Record<string, string> => ({
  SIGNALBOX_URL: url.replace(/\/mcp$/, ''),
  SIGNALBOX_TOKEN: token,
})
