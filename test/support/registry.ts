import { once } from 'node:events'
import { createServer } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jwtVerify } from 'jose'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { Principal } from '#contract/access.ts'
import { openHandOver } from '#db/hand-over.ts'
import { machines } from '#db/schema.ts'
import { signingKey } from '#db/signing-keys.ts'
import { asPrincipal, owner } from '#domain/access.ts'
import type { Budgets } from '#domain/turn.ts'
import { agentsRoutes } from '#http/agents.ts'
import { approvalsRoutes } from '#http/approvals.ts'
import { capabilitiesRoutes } from '#http/capabilities.ts'
import { executionsRoutes } from '#http/executions.ts'
import { modelsRoutes } from '#http/models.ts'
import { sessionVerbsRoutes } from '#http/session-verbs.ts'
import { policiesRoutes } from '#http/policies.ts'
import { spawnRoutes } from '#http/spawn.ts'
import { tasksRoutes } from '#http/tasks.ts'
import { workersRoutes } from '#http/workers.ts'
import { machineWorkspacesRoutes } from '#http/machine-workspaces.ts'
import { workspaceVerbsRoutes } from '#http/workspace-verbs.ts'
import { workspacesRoutes } from '#http/workspaces.ts'
import { newId } from '#lib/id.ts'
import { bareApp } from './bare-app.ts'
import { freshPool } from './postgres.ts'

export const ada = asPrincipal({ id: newId(), name: 'Ada', scopes: ['run', 'board'] })
export const bob = asPrincipal({ id: newId(), name: 'Bob', scopes: ['run', 'board'] })

export interface Answer {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into answers of every shape
  body: any
}

/** The rooms of agents and executions on a database of their own, with one machine. */
export async function openRegistry() {
  const pool = await freshPool()
  const handOver = await openHandOver(pool.db, { log: pino({ level: 'silent' }) })
  onTestFinished(() => handOver.close())
  const machineId = newId()
  const budgets: Budgets = { perExecutionUsd: 5 }
  const worker = { staleAfterMs: 30_000, approvalExpiresMs: 60_000 }
  const settings = { current: () => ({ worker, budgets, policies: {} }) }
  const parts = { pool, handOver, machineId, settings }
  let caller = owner
  const app = bareApp()
    .use(async (c, next) => {
      c.set('principal', caller)
      await next()
    })
    .route('/', spawnRoutes(parts))
    .route('/', agentsRoutes(parts))
    .route('/', capabilitiesRoutes(parts))
    .route('/', executionsRoutes(parts))
    .route('/', sessionVerbsRoutes(parts))
    .route('/', approvalsRoutes(parts))
    .route('/', policiesRoutes(parts))
    .route('/', workersRoutes(parts))
    .route('/', modelsRoutes(parts))
    .route('/', tasksRoutes(parts))
    .route('/', machineWorkspacesRoutes(parts))
    .route('/', workspacesRoutes(parts))
    .route('/', workspaceVerbsRoutes(parts))

  async function as(who: Principal, method: string, path: string, body?: unknown): Promise<Answer> {
    caller = who
    const answer = await app.request(path, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text ? JSON.parse(text) : undefined }
  }
  const call = (method: string, path: string, body?: unknown) => as(owner, method, path, body)

  async function addMachine(id: string, name: string, url: string): Promise<void> {
    await pool.db.insert(machines).values({ id, name, workerId: name, url })
    await handOver.open(id)
  }

  return { pool, handOver, machineId, budgets, as, call, addMachine, ...makers(call) }
}
export type Registry = Awaited<ReturnType<typeof openRegistry>>

/** What most tests need first; each throws when it is refused. */
function makers(call: (method: string, path: string, body?: unknown) => Promise<Answer>) {
  async function made(path: string, body: unknown) {
    const answer = await call('POST', path, body)
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return answer.body.data
  }
  return {
    agent: (more: object = {}) =>
      made('/agents', { name: newId(), binaryPath: '/usr/bin/git', workingDir: '/repo', ...more }),
    capability: (agentId: string, more: object = {}) =>
      made(`/agents/${agentId}/capabilities`, {
        key: newId(),
        interactionMode: 'template',
        commandTokens: ['log'],
        ...more,
      }),
    task: (more: object = {}) => made('/tasks', { title: 'Fix it', ...more }),
    execution: (capabilityId: string, more: object = {}) => made('/executions', { capabilityId, ...more }),
  }
}

/** A worker's internal API that answers what it is told to, and remembers what it was asked. */
export async function openFakeWorker({ pool, machineId }: Registry, over: 'socket' | 'tcp' = 'socket') {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-worker-'))
  const asked: unknown[] = []
  const worker = {
    url: `unix:${join(folder, 's')}`,
    asked,
    status: 200,
    answer: (question: unknown): unknown => ({ data: question }), // may be a promise
  }
  const server = createServer((request, response) => {
    void (async () => {
      const key = await signingKey(pool.db, 'internal')
      const token = (request.headers.authorization ?? '').replace('Bearer ', '')
      const { payload } = await jwtVerify(token, key, { audience: machineId, issuer: 'signalbox' })
      let text = ''
      for await (const piece of request.setEncoding('utf8')) text += piece
      asked.push({ path: request.url, lifeSec: (payload.exp ?? 0) - (payload.iat ?? 0), ...JSON.parse(text) })
      const answer = await worker.answer(JSON.parse(text))
      response.writeHead(worker.status).end(typeof answer === 'string' ? answer : JSON.stringify(answer))
    })().catch((error: Error) => response.writeHead(500).end(error.message))
  })
  if (over === 'tcp') server.listen(0, '127.0.0.1')
  else server.listen(join(folder, 's'))
  await once(server, 'listening')
  const address = server.address()
  if (typeof address === 'object' && address) worker.url = `http://127.0.0.1:${address.port}`
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })
  return Object.assign(worker, { stop })
}

/** The registry with our machine and its worker. */
export async function openStaffedRegistry(over: 'socket' | 'tcp' = 'socket') {
  const box = await openRegistry()
  const worker = await openFakeWorker(box, over)
  await box.addMachine(box.machineId, 'here', worker.url)
  return { ...box, worker }
}
