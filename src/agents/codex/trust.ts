import { join } from 'node:path'
import type { McpServer } from '#contract/agent-event.ts'
import { OWN_SERVER } from '#contract/keeper-protocol.ts'
import { patienceMs, serversOf } from '../own-server.ts'
import type { SessionLaunch } from '../port.ts'
import type { Fields } from './fields.ts'
import { fieldsOf, textOf } from './fields.ts'
import type { Rpc } from './rpc.ts'
import { RpcError } from './rpc.ts'

/** As much as Codex itself would read. */
const mostInstructions = 32 * 1024

/**
 * What a thread is opened with beside its settings. A folder of which Codex knows nothing it would note as trusted in the
 * user's own configuration, and start whatever the repository's `.codex/config.toml` names without asking. That is for people
 * to decide, so it is told that this one is not trusted. Then it does not read AGENTS.md either, so it gets it from us.
 */
export async function configOf(rpc: Rpc, { cwd, turn }: SessionLaunch): Promise<ThreadConfig> {
  const answer = await unlessRefused(rpc.request('config/read', { cwd, includeLayers: false }))
  const known = fieldsOf(answer['config'])
  const isJudged = isWithin(cwd, Object.keys(fieldsOf(known['projects'])))
  const instructions = isJudged ? undefined : await readInstructions(rpc, cwd)
  const ownServer = freeName(Object.keys(fieldsOf(known['mcp_servers'])))
  const servers = serversOf(turn).map((one) => (one.name === OWN_SERVER ? { ...one, name: ownServer } : one))
  return {
    ownServer,
    settings: {
      config: {
        ...(!isJudged && { projects: { [cwd]: { trust_level: 'untrusted' } } }),
        ...(servers.length > 0 && { mcp_servers: mcpServers(servers, ownServer) }),
      },
      ...(instructions && { developerInstructions: `# AGENTS.md of ${cwd}\n\n${instructions}` }),
    },
  }
}

interface ThreadConfig {
  settings: Fields
  /** What our own endpoint is called in this thread. */
  ownServer: string
}

const isWithin = (cwd: string, folders: string[]): boolean =>
  folders.some((folder) => cwd === folder || cwd.startsWith(`${folder}/`))

/**
 * Codex lays what we say of a server over what its own configuration says of one that is called the same. Somebody who has ours in
 * there already, with a token of their own, would be asking in the agent's place; and a program at an address is an error.
 */
function freeName(taken: string[]): string {
  let name = OWN_SERVER
  for (let next = 2; taken.includes(name); next += 1) name = `${OWN_SERVER}-${next}`
  return name
}

/** By Codex, inside the boundary: out here no path that an agent can write is followed. */
async function readInstructions(rpc: Rpc, cwd: string): Promise<string | undefined> {
  const answer = await unlessRefused(rpc.request('fs/readFile', { path: join(cwd, 'AGENTS.md') }))
  const content = Buffer.from(textOf(answer['dataBase64']) ?? '', 'base64')
  return content.subarray(0, mostInstructions).toString('utf8').trim() || undefined
}

async function unlessRefused(answer: Promise<Fields>): Promise<Fields> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RpcError) return {}
    throw error
  }
}

/** Over its stdin and not as arguments, which everybody on the machine can read. */
const mcpServers = (servers: McpServer[], ownServer: string): Fields =>
  Object.fromEntries(
    servers.map((server) => [
      server.name,
      server.type === 'stdio'
        ? { command: server.command, args: server.args, env: server.env }
        : { url: server.url, http_headers: server.headers, ...(server.name === ownServer && patience) },
    ]),
  )

const patience = { startup_timeout_sec: 30, tool_timeout_sec: patienceMs / 1000 }
