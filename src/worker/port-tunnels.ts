import { json as readJson } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import type { Duplex } from 'node:stream'
import type { AppState, HostHealth } from '#contract/host.ts'
import type { WorkspaceSpec } from '#contract/workspace.ts'
import { Problem, isProblemCode } from '#domain/problem.ts'
import { hasCode } from '#lib/error-code.ts'
import { KeeperRefused, KeeperSilent, isUseless } from './keeper-client.ts'
import type { KeeperClient } from './keeper-client.ts'
import type { Keepers } from './keepers.ts'
import type { ReadyWorkspace } from './ready-workspace.ts'

/** The ways to the ports of this machine's workspaces. Both throw Problems. */
export interface PortTunnels {
  /** Opens a workspace, and starts its app if that is what listens on the port. */
  prepare(workspaceId: string, port: number): Promise<void>
  /** A connection to a port in a workspace. app_not_up, with the app's state, when nothing listens there. */
  connect(workspaceId: string, port: number): Promise<Duplex>
}

interface Needs {
  keepers: Pick<Keepers, 'forWorkspace' | 'forget'>
  readyWorkspace: ReadyWorkspace
}

const openMs = 45_000
const connectMs = 15_000
/** An app that is just starting is waited for. */
const startMs = 15_000
const lookMs = 150
const attempts = 3

export function openPortTunnels({ keepers, readyWorkspace }: Needs): PortTunnels {
  /** With the keeper of a workspace. One that is just ending has not begun with it; the next one will do. */
  async function withKeeper<Result>(
    id: string,
    work: (client: KeeperClient) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      const { client } = await keepers.forWorkspace(id)
      try {
        return await work(client)
      } catch (error) {
        const hasNotBegun = isUseless(error) || hasCode(error, 'ENOENT') || hasCode(error, 'ECONNREFUSED')
        if (!hasNotBegun || attempt === attempts) throw problemOf(error)
        keepers.forget(id)
      }
    }
  }

  async function ask<Answer>(client: KeeperClient, path: string, workspace: WorkspaceSpec, input?: object) {
    const body = JSON.stringify({ workspace, notAfter: Date.now() + openMs, input })
    return (await readJson(await client.ask(path, body, AbortSignal.timeout(openMs)))) as Answer
  }

  /** Undefined when nothing listens there. */
  const connected = (client: KeeperClient, port: number): Promise<Duplex | undefined> =>
    client.connect(port, connectMs).catch((error: unknown) => {
      if (error instanceof KeeperRefused && error.code === 'port_silent') return undefined
      throw error
    })

  return {
    async prepare(workspaceId, port) {
      const { spec } = await readyWorkspace(workspaceId)
      await withKeeper(workspaceId, async (client) => {
        if (spec.app?.port === port) await ask<AppState>(client, '/app', spec, { action: 'start' })
        else await ask<HostHealth>(client, '/workspace', spec)
      })
    },
    async connect(workspaceId, port) {
      const { spec } = await readyWorkspace(workspaceId)
      return withKeeper(workspaceId, async (client) => {
        const late = Date.now() + startMs
        for (let restarts: number | undefined; ; await wait(lookMs)) {
          // Before each try: the keeper may be a new one, and the ports of the workspace may have become others.
          const { app } = await ask<HostHealth>(client, '/workspace', spec)
          const connection = await connected(client, port)
          if (connection) return connection
          const isItsApp = spec.app?.port === port
          // One that has ended meanwhile will not be there in a moment, and has said why.
          const isComing = app.state === 'starting' && app.restarts === (restarts ??= app.restarts)
          if (isItsApp && isComing && Date.now() < late) continue
          throw new Problem('app_not_up', `Nothing listens on port ${port} in this workspace.`, {
            ...(isItsApp && { app: { state: app.state, said: app.said } }),
          })
        }
      })
    },
  }
}

function problemOf(error: unknown): unknown {
  if (error instanceof KeeperSilent || hasCode(error, 'ECONNRESET'))
    return new Problem('workspace_not_running', 'What serves the workspace does not answer. Try again')
  if (!(error instanceof KeeperRefused)) return error
  const { code, message, context } = error
  if (isProblemCode(code)) return new Problem(code, message, context)
  return new Problem('workspace_not_running', `The workspace cannot be opened: ${message}`)
}
