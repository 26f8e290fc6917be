import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { Ready } from '#contract/up.ts'
import type { Farewell } from '#contract/up.ts'
import { identify } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'

/** One program that `up` keeps running. */
export interface ChildPlan {
  name: string
  /** A file that Node runs. */
  script: string
  env: Record<string, string>
  /** For Node, instead of the usual ones. */
  nodeFlags?: readonly string[]
}

export interface ChildEnd {
  code: number | null
  signal: NodeJS.Signals | null
  /** Why the system did not let it begin. */
  refused?: string
}

export interface Child {
  /** Undefined when it was gone before it could be looked at. */
  identity: ProcessIdentity | undefined
  /** Resolves with how it ended, together with whatever it had started in its group; never rejects. */
  exited: Promise<ChildEnd>
  /** Says something over its channel, if it still hears. */
  tell(message: Farewell): void
}

/** V8 lets young objects take up to 128 MB where memory is plenty; a process that mostly waits does well with 8. */
const usualFlags = ['--max-semi-space-size=8']

/**
 * Starts a program in a process group of its own, out of Ctrl-C's reach, with a channel that tells it when we are gone.
 * Its stdout is joined to our stderr: on our stdout stands one line and nothing else.
 */
export function startChild(plan: ChildPlan, onReady: (url: string) => void): Child {
  let child: ChildProcess
  try {
    child = spawnNode(plan)
  } catch (error) {
    // Node throws some refusals of the system at once, as for want of memory, and emits the others later.
    return { identity: undefined, exited: Promise.resolve(neverBegan(error)), tell: () => undefined }
  }
  child.on('message', (message) => {
    const said = Ready.safeParse(message)
    if (said.success) onReady(said.data.url)
  })
  const exited = new Promise<ChildEnd>((resolve) => {
    child.once('error', (error) => resolve(neverBegan(error)))
    child.once('exit', (code, signal) => {
      killGroup(child.pid)
      resolve({ code, signal })
    })
  })
  const tell = (message: Farewell) => void (child.connected && child.send(message, () => undefined))
  return { identity: identify(child.pid ?? 0), exited, tell }
}

function spawnNode({ script, env, nodeFlags = usualFlags }: ChildPlan): ChildProcess {
  return spawn(process.execPath, [...nodeFlags, script], {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 2, 2, 'ipc'],
  })
}

function neverBegan(error: unknown): ChildEnd {
  return { code: null, signal: null, refused: error instanceof Error ? error.message : String(error) }
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader) process.kill(-leader, 'SIGKILL')
  } catch {
    // it was alone
  }
}
