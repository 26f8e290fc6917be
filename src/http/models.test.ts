import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { openChat } from '#chat/open.ts'
import type { ModelSettings } from '#chat/providers.ts'
import { loadConfig } from '#config/config.ts'
import { asPrincipal } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import { internalApi, serveInternally } from '#worker/internal-api.ts'
import { openRegistry } from '../../test/support/registry.ts'

const apiKey = 'key-of-nobody-0123456789'
const grace = asPrincipal({ id: newId(), name: 'Grace', scopes: ['chat'] })
const board = asPrincipal({ id: newId(), name: 'Bo', scopes: ['board'] })

/** Web, the internal API of a worker, and a provider, each over a real line. */
async function openWithModels(names: string[]) {
  const asked: string[] = []
  const provider = createServer(({ url = '' }, response) => {
    asked.push(url)
    response.end(JSON.stringify({ data: names.map((id) => ({ id })) }))
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
  const models: ModelSettings = { anthropic: {}, openai: { apiKey, baseUrl }, google: {}, compatible: {} }
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-models-'))
  const box = await openRegistry()
  const chat = openChat(() => models)
  const config = loadConfig({ env: { HOME: folder, SIGNALBOX_HOME: folder }, cwd: folder })
  const log = pino({ level: 'silent' })
  const api = internalApi({
    db: box.pool.db,
    machineId: box.machineId,
    config: () => config,
    log,
    chat: () => Promise.resolve(chat),
  })
  const socket = join(folder, 's')
  const serving = await serveInternally(api, socket, undefined)
  onTestFinished(async () => {
    await serving.close()
    provider.closeAllConnections()
    provider.close()
    await rm(folder, { recursive: true, force: true })
  })
  await box.addMachine(box.machineId, 'here', `unix:${socket}`)
  return { ...box, asked, serving }
}

test('whoever may chat is told which models there are, by the machine that has the keys', async () => {
  const { as, asked } = await openWithModels(['gpt-5-mini', 'dall-e-3', 'ours'])
  const { status, body } = await as(grace, 'GET', '/models/available')
  expect([status, body.data]).toEqual([
    200,
    {
      models: [
        expect.objectContaining({ name: 'openai/gpt-5-mini', isDefault: true, contextWindow: 400_000 }),
        expect.objectContaining({ name: 'openai/ours', isDefault: false, contextWindow: null, price: null }),
      ],
      default: 'openai/gpt-5-mini',
      checkedAt: expect.any(String),
      ageMs: expect.any(Number),
    },
  ])
  expect((await as(grace, 'GET', '/models/available')).body.data.checkedAt).toBe(body.data.checkedAt)
  expect(asked).toEqual(['/v1/models'])
})

test('every provider is told with what it needs, and never with a key', async () => {
  const { call } = await openWithModels(['gpt-5-mini'])
  const { status, body } = await call('GET', '/models/check?fresh=1')
  expect(status).toBe(200)
  expect(body.data.providers).toMatchObject([
    { provider: 'anthropic', status: 'unconfigured', variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'] },
    { provider: 'openai', status: 'available', models: 1, model: 'gpt-5-mini' },
    { provider: 'google', status: 'unconfigured' },
    { provider: 'compatible', status: 'unconfigured' },
  ])
  expect(JSON.stringify(body)).not.toContain(apiKey)
})

test('a list that is longer than a megabyte arrives whole', async () => {
  const { call } = await openWithModels(Array.from({ length: 10_000 }, (_, number) => `m-${number}`))
  expect((await call('GET', '/models/available')).body.data.models.length).toBe(10_000)
})

test('it takes a scope, a machine that there is, and one that answers', async () => {
  const { as, call, serving } = await openWithModels([])
  expect((await as(board, 'GET', '/models/available')).status).toBe(403)
  expect((await as(board, 'GET', '/models/check')).status).toBe(403)
  expect((await call('GET', '/models/check?machineId=nowhere')).status).toBe(422)
  expect((await call('GET', '/models/check?fresh=maybe')).status).toBe(422)
  await serving.close()
  const { status, body } = await call('GET', '/models/available')
  expect([status, body.error.code]).toEqual([503, 'machine_unavailable'])
})

test('without any machine there is nobody to ask', async () => {
  const { call } = await openRegistry()
  expect((await call('GET', '/models/available')).body.error.code).toBe('machine_unavailable')
})
