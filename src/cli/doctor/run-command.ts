import { spawn } from 'node:child_process'

interface Ran {
  code: number | null
  /** The first 64 KB of both outputs. */
  output: string
}

const MOST = 65_536

/** Runs a program with nothing to read. Rejects when it cannot be started; on abort it and its children are killed. */
export function runCommand(command: string, args: string[], signal: AbortSignal): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // it had ended already
      }
    }
    if (signal.aborted) kill()
    signal.addEventListener('abort', kill, { once: true })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(0, MOST)))
    }
    child.once('error', reject)
    child.once('exit', (code) => {
      kill() // whatever it left behind would hold the pipes open
      child.once('close', () => resolve({ code, output }))
    })
  })
}
