import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const root = join(import.meta.dirname, '../..')

export interface Signalbox {
  url: string
  token: string
  home: string
  /** The folder it was started in, and where agents work. */
  work: string
  process: ChildProcess
  /** Everything it wrote to stderr so far. */
  log(): string
  /** Calls the API as the owner. Answers with the status and the parsed body. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Ctrl-C, and the home removed. Answers with the exit code. */
  stop(): Promise<number | null>
}

export interface Answer {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into answers of every shape
  body: any
}

/** Runs the real product, as `npm start` does, in a home of its own and on a free port. */
export async function startSignalbox(
  options: { home?: string; env?: Record<string, string> } = {},
): Promise<Signalbox> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'signalbox-home-')))
  const work = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-work-')))
  const child = spawn(process.execPath, [join(root, 'src/main/signalbox.ts'), 'up'], {
    cwd: work,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      SIGNALBOX_HOME: home,
      PORT: '0',
      TERMINAL_PORT: '0',
      LOG_LEVEL: 'warn',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  child.once('exit', () => rmSync(work, { recursive: true, force: true })) // however it ends
  const ready = await Promise.race([readyLine(child), exited])
  if (typeof ready !== 'string') throw new Error(`Signalbox ended with ${ready} before it was ready:\n${log}`)
  const [url = '', token = ''] = ready.split('/#token=')
  return {
    url,
    token,
    home,
    work,
    process: child,
    log: () => log,
    call: (method, path, body, headers) => call(url, token, method, path, body, headers),
    async stop() {
      child.kill('SIGINT')
      const code = await exited
      if (!options.home) await rm(home, { recursive: true, force: true })
      return code
    },
  }
}

async function readyLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const [, address] = /^Signalbox ready at (\S+)$/.exec(line) ?? []
    if (address) return address
  }
  return new Promise(() => undefined) // it ended without one: the exit tells
}

export async function call(
  url: string,
  token: string | undefined,
  method: string,
  path: string,
  given?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(given !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(given !== undefined && { body: typeof given === 'string' ? given : JSON.stringify(given) }),
  })
  const text = await response.text()
  // Some routes answer with plain text: logs, declarations.
  const isText = response.headers.get('content-type')?.startsWith('text/plain') ?? false
  const body = isText ? text : text ? JSON.parse(text) : undefined
  return { status: response.status, headers: response.headers, body }
}
