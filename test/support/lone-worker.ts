import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const program = join(import.meta.dirname, '../../src/main/signalbox.ts')

export interface LoneWorker {
  process: ChildProcess
  log(): string
  /** Resolves with the exit code, or the signal that ended it. */
  exited: Promise<number | string>
}

/** `signalbox worker`: one machine among others, with a home of its own and nobody who restarts it. */
export function startWorker(home: string, databaseUrl: string, env: Record<string, string> = {}): LoneWorker {
  const child = spawn(process.execPath, [program, 'worker'], {
    cwd: env['ALLOWED_WORKING_DIRS'] ?? home,
    env: {
      PATH: process.env['PATH'],
      TMPDIR: process.env['TMPDIR'],
      HOME: home,
      SIGNALBOX_HOME: home,
      DATABASE_URL: databaseUrl,
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text))
  const exited = once(child, 'exit').then(([code, signal]) => signal ?? code)
  return { process: child, log: () => log, exited }
}
