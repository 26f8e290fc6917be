import type { Config } from '#config/config.ts'
import type { AskWindow, FoundWindow } from '#contract/internal.ts'
import type { AskShell, KeptTerminal } from '#contract/keeper.ts'
import type { DatabasePool } from '#db/pool.ts'
import { findSession } from '#db/sessions.ts'
import { Problem, isProblemCode } from '#domain/problem.ts'
import { findAgentWindow } from '#flows/find-agent-window.ts'
import { placeSession } from '#flows/place-session.ts'
import { hasCode } from '#lib/error-code.ts'
import { KeeperRefused, isUseless } from './keeper-client.ts'
import type { Keeper, Keepers } from './keepers.ts'
import { planShell } from './plan-shell.ts'
import type { ReadyWorkspace } from './ready-workspace.ts'

/** What people can look at, and type into, of this machine's sessions and workspaces. */
export interface SessionWindows {
  /** Throws Problems. */
  find(asked: AskWindow): Promise<FoundWindow>
  /** Ends those of this keeper's shells whose session is in the trash, or gone. */
  look(keeper: Pick<Keeper, 'client'>, shells: readonly KeptTerminal[]): Promise<void>
}

interface Needs {
  pool: DatabasePool
  keepers: Pick<Keepers, 'forWorkspace' | 'forget'>
  readyWorkspace: ReadyWorkspace
  config: () => Config
  machineId: string
}

const startWithinMs = 20_000
const attempts = 3

export function openSessionWindows({
  pool,
  keepers,
  readyWorkspace,
  config,
  machineId,
}: Needs): SessionWindows {
  async function shellWindow({ sessionId, workspaceId }: AskWindow): Promise<FoundWindow> {
    const session = sessionId === undefined ? undefined : await findSession(pool.db, sessionId)
    if (sessionId !== undefined && !session) throw noSession(sessionId)
    if (session?.trashedAt)
      throw new Problem('session_trashed', 'The session is in the trash: restore it first', { sessionId })
    const defaultFolder = config().allowedWorkingDirs[0] ?? config().home
    const place =
      workspaceId ??
      (await pool.transaction((tx) => placeSession(tx, sessionId ?? '', { machineId, defaultFolder })))
    const prepared = await readyWorkspace(place)
    const machine = { config: config(), env: process.env }
    const asked: AskShell = {
      ...(await planShell(pool.db, machine, prepared, sessionId)),
      workspace: prepared.spec,
      notAfter: Date.now() + startWithinMs,
      unseenMs: config().sessionTtlMs,
    }
    const { tmuxSession } = await opened(place, sessionId ?? place, asked)
    return { terminal: tmuxSession, takenOver: session?.takenOverAt != null }
  }

  async function opened(workspaceId: string, id: string, asked: AskShell): Promise<KeptTerminal> {
    for (let attempt = 1; ; attempt += 1) {
      const { client } = await keepers.forWorkspace(workspaceId)
      try {
        return await client.openShell(id, asked)
      } catch (error) {
        // It may be ending in this very moment, for want of work; the next one will do.
        const hasNotBegun = isUseless(error) || hasCode(error, 'ENOENT') || hasCode(error, 'ECONNREFUSED')
        if (!hasNotBegun || attempt === attempts) throw problemOf(error)
        keepers.forget(workspaceId)
      }
    }
  }

  return {
    find: (asked) =>
      asked.window === 'agent' && asked.sessionId !== undefined
        ? findAgentWindow(pool.db, asked.sessionId, machineId)
        : shellWindow(asked),
    async look({ client }, shells) {
      for (const { sessionId } of shells) {
        const session = await findSession(pool.db, sessionId)
        // One of a workspace has the workspace's id, and ends with that.
        if (session?.trashedAt) await client.endShell(sessionId)
      }
    },
  }
}

const noSession = (id: string) => new Problem('session_not_found', `No session ${id}`)

function problemOf(error: unknown): unknown {
  if (!(error instanceof KeeperRefused)) return error
  const { code, message, context } = error
  if (isProblemCode(code)) return new Problem(code, message, context)
  if (code === 'not_found')
    return new Problem(
      'workspace_not_running',
      'What serves this workspace was started by an earlier version, which has no shells. It ends with what runs in it',
    )
  return new Problem('workspace_not_running', `A shell cannot be opened here: ${message}`)
}
