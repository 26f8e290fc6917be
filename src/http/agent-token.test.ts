import { tmpdir } from 'node:os'
import { eq } from 'drizzle-orm'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { loadConfig } from '#config/config.ts'
import { openListener } from '#db/listen.ts'
import { openLiveSettings } from '#db/live-settings.ts'
import { executions } from '#db/schema.ts'
import { insertAgentToken } from '#db/tokens.ts'
import { openStreams } from '#events/streams.ts'
import { registerOwnerToken } from '#flows/register-owner-token.ts'
import { newId } from '#lib/id.ts'
import { hashSecret, newSecret } from '#lib/secret.ts'
import { home, jwtSecret } from '../../test/support/auth.ts'
import { ada, openStaffedRegistry } from '../../test/support/registry.ts'
import { buildApp } from './app.ts'
import { openDoorkeeper } from './doorkeeper.ts'

const log = pino({ level: 'silent' })

/** The whole of HTTP, and the token of an agent that Ada has set to work. */
async function openWithAgent() {
  const box = await openStaffedRegistry()
  const { pool, handOver, machineId } = box
  const config = loadConfig({ env: { HOME: tmpdir(), PORT: '4100' }, cwd: tmpdir() })
  const listener = openListener(pool.url, log)
  const streams = openStreams(pool.db, listener, log)
  const settings = await openLiveSettings({ config, db: pool.db, listener, log })
  onTestFinished(async () => {
    streams.close()
    settings.close()
    await listener.close()
  })
  const doorkeeper = openDoorkeeper(pool.db, { jwtSecret })
  const app = buildApp({ pool, streams, settings, doorkeeper, handOver, machineId, log, version: '0' })

  const agent = await box.agent({ name: 'Lead', adapter: 'claude', kind: 'coding' })
  await box.capability(agent.id, { key: 'ask', interactionMode: 'prompt', commandTokens: null })
  const begun = await box.as(ada, 'POST', '/agents/spawn', { agentId: agent.id, prompt: 'Begin' })
  const { id: executionId, sessionId } = begun.body.data
  // Those who work for somebody without a row of their own need none of ours.
  await pool.db.$client.query(`update sessions set created_by = 'jwt:ada'`)
  const [token, ownerToken] = [newSecret('sbagent'), newSecret('test')]
  await insertAgentToken(pool.db, { id: newId(), hash: hashSecret(token), sessionId, executionId })
  await pool.transaction((tx) => registerOwnerToken(tx, home, ownerToken))

  async function ask(method: string, path: string, body?: unknown, bearer = token) {
    const answer = await app.request(`http://127.0.0.1:4100/api/v1${path}`, {
      method,
      headers: {
        host: '127.0.0.1:4100',
        authorization: `Bearer ${bearer}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { error } = answer.headers.get('content-type')?.startsWith('application/json')
      ? Answered.parse(await answer.json())
      : {}
    return { status: answer.status, code: error?.code }
  }
  const document = async () => {
    const answer = await app.request('http://127.0.0.1:4100/api/openapi.json', {
      headers: { host: '127.0.0.1:4100', authorization: `Bearer ${ownerToken}` },
    })
    return Document.parse(await answer.json())
  }
  return { ...box, ask, document, sessionId, executionId, ownerToken, agent }
}

const Answered = z.object({ error: z.object({ code: z.string() }).optional() })
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ requestBody: z.unknown().optional() }))),
})

/** What an agent may ask for. A route that is new is closed to it until it stands here and in agent-door.ts. */
const open = [
  // Open to everybody.
  'get /health',
  'get /mcp/callback',
  'get /mcp/client.json',
  // To agents.
  'get /agents',
  'get /agents/{id}',
  'get /agents/{id}/capabilities',
  'get /agents/{id}/capabilities/{capabilityId}',
  'get /auth/whoami',
  'get /execute/{requestId}',
  'get /sessions/{id}/tools/health',
  'get /tasks',
  'get /tasks/{id}',
  'get /tasks/{id}/events',
  'get /tools',
  'get /tools/api.d.ts',
  'delete /execute/{requestId}',
  'delete /tasks/{id}/dependencies',
  'patch /tasks/{id}',
  'post /agents/spawn',
  'post /execute',
  'post /execute/check',
  'post /sessions/{id}/tools/list',
  'post /sessions/{id}/tools/read',
  'post /sessions/{id}/tools/search',
  'post /tasks',
  'post /tasks/{id}/dependencies',
  'post /tasks/{id}/reorder',
  'post /tools/{name}/call',
]

test("an agent's token opens these routes and no other", async () => {
  const { ask, document } = await openWithAgent()
  const opened: string[] = []
  for (const [path, methods] of Object.entries((await document()).paths))
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const place = path.replaceAll(/\{[^}]+\}/g, newId())
      const { status } = await ask(method.toUpperCase(), place, requestBody ? {} : undefined)
      if (status !== 403) opened.push(`${method} ${path}`)
    }
  expect(opened.toSorted()).toEqual(open.toSorted())
})

test('what is not in the document is closed as well', async () => {
  const { ask } = await openWithAgent()
  for (const path of ['/nothing', '/tasks/x/y/z', '/sse/board'])
    expect([path, (await ask('GET', path)).status]).toEqual([path, 403])
})

test('it opens the tools of its own session, and no other session is there for it', async () => {
  const { ask, sessionId, as, agent, worker } = await openWithAgent()
  worker.answer = () => ({ data: { path: '.', entries: [], truncated: false, executionTime: 1 } })
  const { data: other } = (await as(ada, 'POST', '/agents/spawn', { agentId: agent.id, prompt: 'x' })).body
  expect(await ask('POST', `/sessions/${sessionId}/tools/list`, {})).toMatchObject({ status: 200 })
  expect(await ask('POST', `/sessions/${other.sessionId}/tools/list`, {})).toEqual({
    status: 404,
    code: 'session_not_found',
  })
})

test('with nothing under way in its session it can look, and change nothing', async () => {
  const { ask, pool, executionId, sessionId, agent } = await openWithAgent()
  await pool.db
    .update(executions)
    .set({ endedAt: new Date(), status: 'succeeded' })
    .where(eq(executions.id, executionId))
  expect(await ask('GET', '/tasks')).toMatchObject({ status: 200 })
  const refused = { status: 409, code: 'no_live_execution' }
  expect(await ask('POST', '/tasks', { title: 'x' })).toEqual(refused)
  expect(await ask('POST', `/sessions/${sessionId}/tools/list`, {})).toEqual(refused)
  expect(await ask('POST', '/agents/spawn', { agentId: agent.id, prompt: 'x' })).toEqual(refused)
})

test('an agent sets another one to work over HTTP, below its own execution', async () => {
  const { ask, agent, executionId, pool } = await openWithAgent()
  expect(await ask('POST', '/agents/spawn', { agentId: agent.id, prompt: 'x' })).toMatchObject({
    status: 201,
  })
  expect(await pool.db.$count(executions, eq(executions.parentExecutionId, executionId))).toBe(1)
  expect(await ask('POST', '/agents/spawn', { agentId: agent.id, prompt: 'x' })).toEqual({
    status: 429,
    code: 'spawn_cooldown',
  })
})
