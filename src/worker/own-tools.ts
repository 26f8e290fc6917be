import type { Config } from '#config/config.ts'
import { inside } from '#contract/host.ts'
import type { OwnTools } from '#contract/keeper.ts'
import type { Forward, WorkspaceSpec } from '#contract/workspace.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Database } from '#db/pool.ts'
import { insertAgentToken } from '#db/tokens.ts'
import { findWebUrl } from '#db/webs.ts'
import { newId } from '#lib/id.ts'
import { hashSecret, newSecret } from '#lib/secret.ts'

const forwardName = 'mcp'

/** Where our own endpoint is reached from this machine; nothing while no web has ever served. */
export async function ownEndpoint(
  db: Database,
  config: Config,
  machineId: string,
): Promise<string | undefined> {
  const base = config.publicUrl ?? (await findWebUrl(db, machineId))
  return base && `${base.replace(/\/+$/, '')}/mcp`
}

/** The way to it through walls, which is open whatever else is closed. */
export async function ownForward(db: Database, config: Config, machineId: string): Promise<Forward[]> {
  const url = await ownEndpoint(db, config, machineId)
  return url === undefined ? [] : [{ name: forwardName, url, headers: {} }]
}

/**
 * Our tools as the agent of this execution gets them, with a token that belongs to the process that it is started in. The token itself
 * is in the launch and in that process, and nowhere else.
 */
export async function giveOwnTools(
  db: Database,
  config: Config,
  { id: executionId, sessionId, machineId }: Pick<ExecutionRow, 'id' | 'sessionId' | 'machineId'>,
  workspace: WorkspaceSpec,
): Promise<OwnTools | null> {
  const isFolder = workspace.driver === 'folder'
  const url = isFolder ? await ownEndpoint(db, config, machineId) : forwarded(workspace.forwards)
  if (url === undefined) return null
  const token = newSecret('sbagent')
  await insertAgentToken(db, { id: newId(), hash: hashSecret(token), sessionId, executionId })
  return { url, token, ...(isFolder && { program: ourselves() }) }
}

const forwarded = (forwards: readonly Forward[]): string | undefined =>
  forwards.some(({ name }) => name === forwardName)
    ? `http://127.0.0.1:${inside.forwardPort}/${forwardName}`
    : undefined

/** `signalbox mcp`, as it is here. */
const ourselves = (): OwnTools['program'] => ({
  command: process.execPath,
  args: [new URL('../main/signalbox.ts', import.meta.url).pathname, 'mcp'],
})
