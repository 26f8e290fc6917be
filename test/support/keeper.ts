import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Launch, Progress, SpoolRecord } from '#contract/keeper.ts'
import { newId } from '#lib/id.ts'

const script = join(import.meta.dirname, '../../src/main/keeper.ts')

export interface TestKeeper {
  keeperId: string
  folder: string
  socket: string
  process: ChildProcess
  exited: Promise<number | null>
  call(method: string, path: string, body?: object): Promise<KeeperAnswer>
  /** Every line that is said, until it ends. */
  progress(id: string, epoch?: number): Promise<Progress[]>
  /** Starts a program with some defaults around it. Answers with the execution's id. */
  launch(program: string, argv?: string[], more?: Partial<Launch>): Promise<string>
  /** Launches, waits for the end, and reads the spool. */
  run(program: string, argv?: string[], more?: Partial<Launch>): Promise<Spooled>
  records(id: string): SpoolRecord[]
  log(): string
  /** Ends it with everything it keeps. */
  stop(): Promise<void>
}

export interface KeeperAnswer {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into answers of every shape
  body: any
}

export interface Spooled {
  id: string
  records: SpoolRecord[]
  end: Extract<SpoolRecord, { type: 'ended' }>['payload']
  pid: number | undefined
  output: (stream: 'stdout' | 'stderr' | 'system') => Buffer
}

interface Options {
  /** Instead of the sources. */
  command?: { node: string; script: string }
  nodeFlags?: string[]
  args?: string[]
  /** Where its folder is made; usually a new one among the temporary files. */
  home?: string
  env?: NodeJS.ProcessEnv
}

/** A real keeper, in a folder of its own. */
export async function startKeeper(options: Options = {}): Promise<TestKeeper> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'keeper-'))
  const keeperId = newId()
  const folder = join(home, keeperId)
  const socket = join(home, 's')
  mkdirSync(folder, { mode: 0o700 })
  const child = spawn(
    options.command?.node ?? process.execPath,
    [
      ...(options.nodeFlags ?? []),
      options.command?.script ?? script,
      folder,
      socket,
      ...(options.args ?? []),
    ],
    {
      cwd: folder,
      env: { ...process.env, ...options.env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (log += text))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  let code: number | null | undefined
  void exited.then((ended) => (code = ended))
  while (!existsSync(join(folder, 'keeper.json'))) {
    if (code !== undefined) throw new Error(`The keeper ended with ${code}:\n${log}`)
    await wait(5)
  }

  const keeper: TestKeeper = {
    keeperId,
    folder,
    socket,
    process: child,
    exited,
    call: (method, path, body) => callSocket(socket, method, path, body),
    progress: (id, epoch = 1) => readProgress(socket, `/executions/${id}/progress?epoch=${epoch}`),
    async launch(program, argv = [], more = {}) {
      const launch = { ...usualLaunch(home), program, argv, ...more }
      const { status, body } = await keeper.call('POST', '/executions', launch)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return launch.executionId
    },
    async run(program, argv, more) {
      const id = await keeper.launch(program, argv, more)
      await keeper.progress(id, more?.epoch)
      return readSpool(id, keeper.records(id))
    },
    records: (id) => parseRecords(readFileSync(join(folder, `${id}.ndjson`), 'utf8')),
    log: () => log,
    async stop() {
      await callSocket(socket, 'POST', '/shutdown', { reason: 'The test is over', graceMs: 0 }).catch(() =>
        child.kill('SIGKILL'),
      )
      await exited
      if (!options.home) rmSync(home, { recursive: true, force: true })
    },
  }
  return keeper
}

const workspaceId = newId()

const usualLaunch = (root: string) => ({
  executionId: newId(),
  sessionId: newId(),
  epoch: 1,
  workspace: { id: workspaceId, driver: 'folder' as const, root },
  adapter: 'template' as const,
  env: { PATH: process.env['PATH'] ?? '' },
  cwd: root,
  timeoutMs: 60_000,
  maxOutputBytes: 10 * 1024 * 1024,
  notAfter: Date.now() + 60_000,
})

const parseRecords = (text: string): SpoolRecord[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

function readSpool(id: string, records: SpoolRecord[]): Spooled {
  expect(records.map(({ offset }) => offset)).toEqual(records.map((_, index) => index + 1))
  const last = records.at(-1)
  if (last?.type !== 'ended') throw new Error(`It has not ended: ${JSON.stringify(last)}`)
  const started = records.find((record) => record.type === 'started')
  return {
    id,
    records,
    end: last.payload,
    pid: started?.payload.pid,
    output: (stream) =>
      Buffer.concat(
        records.flatMap((record) =>
          record.type === 'data-terminal' && record.payload.stream === stream
            ? [Buffer.from(record.payload.chunk, 'base64')]
            : [],
        ),
      ),
  }
}

function callSocket(socketPath: string, method: string, path: string, body?: object): Promise<KeeperAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method, path, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
    })
    sent.once('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

function readProgress(socketPath: string, path: string): Promise<Progress[]> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path, agent: false }, (response) => {
      const lines: Progress[] = []
      createInterface(response)
        .on('line', (line) => lines.push(JSON.parse(line)))
        .once('close', () => resolve(lines))
    })
      .once('error', reject)
      .end()
  })
}
