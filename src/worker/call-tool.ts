import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '#config/config.ts'
import type { AskTool } from '#contract/internal.ts'
import type { ToolCall } from '#contract/keeper.ts'
import type { WorkspaceSpec } from '#contract/workspace.ts'
import type { DatabasePool } from '#db/pool.ts'
import { Problem, isProblemCode } from '#domain/problem.ts'
import { placeSession } from '#flows/place-session.ts'
import { hasCode } from '#lib/error-code.ts'
import { KeeperRefused, KeeperSilent, isUseless } from './keeper-client.ts'
import type { Keepers } from './keepers.ts'
import type { ReadyWorkspace } from './ready-workspace.ts'

/** What is asked of what is inside the walls of a session's workspace. */
export interface ToolCalls {
  /**
   * Hands a question on to the keeper: `input` is JSON, and is looked at by nobody on the way. Resolves when the answer begins.
   * Throws Problems.
   */
  ask(asked: AskTool, input: string, signal: AbortSignal): Promise<IncomingMessage>
}

interface Needs {
  pool: DatabasePool
  keepers: Keepers
  readyWorkspace: ReadyWorkspace
  config: () => Config
  machineId: string
  /** How long what is known of a workspace holds at most: settings and the machine change too. */
  knownMs?: number
}

const mostKnown = 1_000
/** Whoever asks is told after this time that it is still being prepared, which goes on. */
const longestPreparingMs = 45_000
const shortestMs = 1_000
/** The keeper gives up by itself; this is for one that does not. */
const silenceMs = 3_000
const attempts = 3

export function openToolCalls({
  pool,
  keepers,
  readyWorkspace,
  config,
  machineId,
  knownMs = 5_000,
}: Needs): ToolCalls {
  /** Holds for as long as web reads the same of a workspace. */
  const known = new Map<string, { spec: WorkspaceSpec; stamp: string; until: number }>()

  async function specFor({ sessionId, workspaceId, stamp, limitMs }: AskTool): Promise<WorkspaceSpec> {
    const id = workspaceId ?? (await place(sessionId))
    const remembered = known.get(id)
    if (remembered && remembered.stamp === stamp && remembered.until > Date.now()) return remembered.spec
    known.delete(id)
    const patienceMs = Math.min(longestPreparingMs, limitMs)
    const spec = await Promise.race([readyWorkspace(id).then(({ spec }) => spec), stillPreparing(patienceMs)])
    if (stamp !== undefined) known.set(id, { spec, stamp, until: Date.now() + knownMs })
    if (known.size > mostKnown) for (const oldest of known.keys().take(1)) known.delete(oldest)
    return spec
  }

  function place(sessionId: string): Promise<string> {
    const defaultFolder = config().allowedWorkingDirs[0] ?? config().home
    return pool.transaction((tx) => placeSession(tx, sessionId, { machineId, defaultFolder }))
  }

  async function askKeeper(asked: AskTool, spec: WorkspaceSpec, input: string, signal: AbortSignal) {
    const { limitMs } = asked
    const late = AbortSignal.timeout(limitMs + silenceMs)
    const envelope = { workspace: spec, notAfter: Date.now() + limitMs, limitMs } satisfies Omit<
      ToolCall,
      'input'
    >
    const body = `${JSON.stringify(envelope).slice(0, -1)},"input":${input}}`
    for (let attempt = 1; ; attempt++) {
      const keeper = await keepers.forWorkspace(spec.id)
      try {
        return await keeper.client.ask(pathOf(asked), body, AbortSignal.any([signal, late]))
      } catch (error) {
        // It may be ending in this very moment, for want of work; the next one will do. It has not begun then.
        const hasNotBegun = isUseless(error) || hasCode(error, 'ENOENT') || hasCode(error, 'ECONNREFUSED')
        if (!hasNotBegun || attempt === attempts) throw problemOf(error, limitMs)
        keepers.forget(spec.id)
      }
    }
  }

  return {
    async ask(asked, input, signal) {
      const since = Date.now()
      const spec = await specFor(asked)
      // A streamed command has its own time, which begins with it; of any other the time it waited is a part.
      const waited = asked.tool === 'stream' ? 0 : Date.now() - since
      const limitMs = Math.max(asked.limitMs - waited, shortestMs)
      return askKeeper({ ...asked, limitMs }, spec, input, signal)
    },
  }
}

const otherPaths = new Map([
  ['health', '/workspace'],
  ['app', '/app'],
  ['stream', '/tools/command/stream'],
])
const pathOf = ({ tool }: AskTool): string => otherPaths.get(tool) ?? `/tools/${tool}`

async function stillPreparing(patienceMs: number): Promise<never> {
  await wait(patienceMs, undefined, { ref: false })
  throw new Problem('workspace_not_ready', 'The workspace is still being prepared. Try again in a while', {
    retryAfterSec: 5,
  })
}

function problemOf(error: unknown, limitMs: number): unknown {
  if (error instanceof KeeperSilent)
    return new Problem('tool_timed_out', `It took longer than ${limitMs / 1000} s, and was given up`)
  if (!(error instanceof KeeperRefused))
    return new Problem(
      'workspace_failed',
      'What serves the workspace ended in the middle of it. Whether it was done is not known: look, then try again',
    )
  const { code, message, context } = error
  if (isProblemCode(code)) return new Problem(code, message, context)
  if (code === 'not_started' || code === 'too_late')
    return new Problem('workspace_not_running', `The workspace cannot be opened: ${message}`)
  return error
}
