import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, request as startRequest } from 'node:http'
import type { IncomingMessage, RequestListener, RequestOptions } from 'node:http'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AuditRecord } from '#contract/audit.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'
import { openAuditFile } from '#keeper/gate/audit-file.ts'
import type { Audit } from '#keeper/gate/audit-file.ts'
import { openGate } from '#keeper/gate/open-gate.ts'
import type { GateLimits } from '#keeper/gate/open-gate.ts'
import type { RefusalPace } from '#keeper/gate/refusals.ts'

export const enclosed: EnclosedSpec = {
  id: '01890000-0000-7000-8000-000000000001',
  driver: 'docker',
  root: '/nowhere',
  homes: '/nowhere',
  image: null,
  egress: 'none',
  modelHosts: [],
  forwards: [],
  mounts: [],
  limits: { memoryMb: 512, cpus: 0.5, pids: 128 },
  app: null,
  ports: [],
  commandRules: [],
}

export interface TestGate {
  /** Where the proxy, or the forwards, can be had as from inside. */
  port: number
  spec: EnclosedSpec
  log: string[]
  audit: () => AuditRecord[]
  /** Writes what was only counted so far. */
  closeBook: () => void
}

interface Wanted {
  limits?: Partial<GateLimits>
  audit?: Audit
  pace?: RefusalPace
}

const usual: GateLimits = {
  connections: 128,
  headMs: 10_000,
  headBytes: 16_384,
  idleMs: 600_000,
  perSecond: 100,
}

/** A real gate on a port; ended with the test. */
export async function startGate(
  purpose: 'egress' | 'forward',
  spec: Partial<EnclosedSpec>,
  { limits, audit, pace }: Wanted = {},
): Promise<TestGate> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-gate-'))
  const file = join(folder, 'audit.ndjson')
  const book = audit ?? openAuditFile(file, undefined, pace)
  const workspace = { ...enclosed, ...spec }
  const log: string[] = []
  const parts = { workspace: () => workspace, audit: book, log: (line: string) => void log.push(line) }
  const take = openGate(parts, { ...usual, ...limits })
  const server = createServer({ allowHalfOpen: true }, (connection) => take(purpose, connection))
  const port = await listening(server)
  onTestFinished(() => {
    book.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const read = (): AuditRecord[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  return { port, spec: workspace, log, audit: read, closeBook: () => book.close() }
}

/** Ends with the test, and all its connections with it. */
export async function listening(server: Server): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => open.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

/** A web server somewhere outside, as far as the gate knows. */
export const startOutside = (answer: RequestListener): Promise<number> => listening(createHttpServer(answer))

export interface Answered {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

export async function ask(port: number, options: RequestOptions, body = ''): Promise<Answered> {
  const request = startRequest({ host: '127.0.0.1', port, agent: false, ...options })
  request.end(body)
  const [response]: [IncomingMessage] = (await once(request, 'response')) as never
  let text = ''
  for await (const piece of response) text += piece
  return { status: response.statusCode ?? 0, headers: response.headers, text }
}

/** Writes these bytes, and answers with all that comes until the other side has finished. */
export async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.write(bytes)
  let said = ''
  try {
    for await (const piece of socket) said += piece
  } catch {
    // it was cut off, and this is what there was
  }
  return said
}

export async function until<Fact>(look: () => Fact | undefined | false): Promise<Fact> {
  for (const late = Date.now() + 20_000; Date.now() < late;) {
    const fact = look()
    if (fact) return fact
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('Waited in vain')
}
