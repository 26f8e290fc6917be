import { spawn } from 'node:child_process'
import { z } from 'zod'
import { identify } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'

/** One program that `up` keeps running. */
export interface ChildPlan {
  name: string
  /** A file that Node runs. */
  script: string
  env: Record<string, string>
}

export interface ChildEnd {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Child {
  /** Undefined when it was gone before it could be looked at. */
  identity: ProcessIdentity | undefined
  /** Resolves with how it ended, together with whatever it had started in its group; never rejects. */
  exited: Promise<ChildEnd>
}

const Ready = z.object({ type: z.literal('ready'), url: z.url() })

/** V8 lets young objects take up to 128 MB where memory is plenty; a process that mostly waits does well with 8. */
const nodeFlags = ['--max-semi-space-size=8']

/**
 * Starts a program in a process group of its own, out of Ctrl-C's reach, with a channel that tells it when we are gone.
 * Its stdout is joined to our stderr: on our stdout stands one line and nothing else.
 */
export function startChild({ script, env }: ChildPlan, onReady: (url: string) => void): Child {
  const child = spawn(process.execPath, [...nodeFlags, script], {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  child.on('message', (message) => {
    const said = Ready.safeParse(message)
    if (said.success) onReady(said.data.url)
  })
  const exited = new Promise<ChildEnd>((resolve) => {
    child.once('error', () => resolve({ code: 1, signal: null }))
    child.once('exit', (code, signal) => {
      killGroup(child.pid)
      resolve({ code, signal })
    })
  })
  return { identity: identify(child.pid ?? 0), exited }
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader) process.kill(-leader, 'SIGKILL')
  } catch {
    // it was alone
  }
}
