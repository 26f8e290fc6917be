import type { McpServer } from '#contract/agent-event.ts'
import { OWN_SERVER } from '#contract/keeper-protocol.ts'
import { patienceMs } from '../own-server.ts'

interface McpConfig {
  argv: string[]
  env: Record<string, string>
}

/**
 * The servers as Claude Code wants them. Arguments can be read by everybody on the machine, so every value goes into the
 * environment and the argument only names it: Claude fills in `${NAME}`, once, so a value that looks like a name stays as it is. A
 * file would have to lie inside the boundary, and would stay behind when a keeper is killed.
 */
export function mcpConfig(servers: readonly McpServer[]): McpConfig {
  if (servers.length === 0) return { argv: [], env: {} }
  const env: Record<string, string> = {}
  const hidden = (value: string): string => {
    const name = `SIGNALBOX_MCP_${Object.keys(env).length + 1}`
    env[name] = value
    return `\${${name}}`
  }
  const hiddenValues = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, hidden(value)]))

  const mcpServers = Object.fromEntries(
    servers.map((server) => [
      server.name,
      server.type === 'http'
        ? {
            type: 'http',
            url: hidden(server.url),
            headers: hiddenValues(server.headers),
            ...(server.name === OWN_SERVER && { timeout: patienceMs }),
          }
        : {
            type: 'stdio',
            command: hidden(server.command),
            args: server.args.map(hidden),
            env: hiddenValues(server.env),
          },
    ]),
  )
  return { argv: ['--mcp-config', JSON.stringify({ mcpServers }), '--strict-mcp-config'], env }
}
