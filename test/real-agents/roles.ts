import { join } from 'node:path'
import { inject } from 'vitest'
import type { Signalbox } from '../support/signalbox.ts'
import type { RealAgent } from './agents.ts'

/** `asking` asks a person about every tool, `free` asks nobody, `equipped` has MCP servers too, `tooled` asks, and has MCP's tools at hand. */
export type Role = 'asking' | 'free' | 'equipped' | 'tooled'

const mcpServer = {
  type: 'stdio',
  name: 'echo',
  command: process.execPath,
  args: [join(import.meta.dirname, '../support/stdio-mcp-server.ts')],
  env: {},
}

/** The tools of a workspace, as any client may have them. */
const workspaceServer = (root: string) => ({
  type: 'stdio',
  name: 'files', // Claude Code keeps the name workspace for itself
  command: process.execPath,
  args: [join(import.meta.dirname, '../../dist/keeper/host.mjs'), 'mcp', '--root', root],
  env: {},
})

/** The agent several times, as it is asked to behave; answers with the capability of each. */
export async function registerRoles(
  box: Signalbox,
  { adapter, program, args, modelForMcp }: RealAgent,
  envAllowlist: string[],
): Promise<Record<Role, string>> {
  const register = async (name: Role, more: object) => {
    const agent = await made(box, '/agents', {
      name,
      kind: 'coding',
      adapter,
      binaryPath: join(inject('agentPrograms'), program),
      args,
      envAllowlist,
      ...more,
    })
    const capability = { key: 'prompt', interactionMode: 'prompt', timeoutSec: 120 }
    return (await made(box, `/agents/${agent.id}/capabilities`, capability)).id
  }
  return {
    asking: await register('asking', { permissionPolicy: 'ask' }),
    free: await register('free', { permissionPolicy: 'all' }),
    tooled: await register('tooled', {
      permissionPolicy: 'ask',
      ...(modelForMcp && { model: modelForMcp }),
    }),
    equipped: await register('equipped', {
      permissionPolicy: 'all',
      mcpServers: [mcpServer, workspaceServer(box.work)],
      ...(modelForMcp && { model: modelForMcp }),
    }),
  }
}

async function made(box: Signalbox, path: string, wanted: object): Promise<{ id: string }> {
  const { status, body } = await box.call('POST', path, wanted)
  if (status !== 201) throw new Error(`POST ${path} was answered with ${status}: ${JSON.stringify(body)}`)
  return body.data
}
