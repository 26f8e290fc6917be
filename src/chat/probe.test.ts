import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { ModelProvider } from '#contract/settings.ts'
import { openProbes } from './probe.ts'
import type { ModelSettings } from './providers.ts'

const none: ModelSettings = { anthropic: {}, openai: {}, google: {}, compatible: {} }
const apiKey = 'key-of-nobody-0123456789'
const limits = { patienceMs: 20_000, keptMs: 60_000, keptWhileMissingMs: 60_000, leastMs: 0 }

type Answering = (request: IncomingMessage, response: ServerResponse) => void

/** A provider on loopback, and what it was asked. */
async function open(answering: Answering) {
  const asked: { method: string; path: string; headers: IncomingMessage['headers'] }[] = []
  const server = createServer((request, response) => {
    asked.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers })
    answering(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const json = (value: unknown, status = 200): Answering => {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }
}
const listing = (...names: string[]) => json({ data: names.map((id) => ({ id })) })
const withOne = (
  provider: ModelProvider,
  baseUrl: string,
  more: Partial<ModelSettings> = {},
): ModelSettings => ({
  ...none,
  [provider]: { apiKey, baseUrl },
  ...more,
})

async function checked(settings: ModelSettings, provider: ModelProvider, patienceMs = limits.patienceMs) {
  const { providers } = await openProbes(() => settings, { ...limits, patienceMs }).check(true)
  const found = providers.find((one) => one.provider === provider)
  expect(JSON.stringify(providers)).not.toContain(apiKey)
  return found
}

test('models of every provider are asked for over HTTP in its own way, and told with what is known of them', async () => {
  const openai = await open(
    listing('gpt-5', 'text-embedding-3-large', 'gpt-4o-realtime', 'gpt-9', 'whisper-1'),
  )
  const anthropic = await open(({ url }, response) =>
    json(
      url?.includes('after_id=claude-one')
        ? { data: [{ id: 'claude-two' }], has_more: false, last_id: 'claude-two' }
        : { data: [{ id: 'claude-one', max_input_tokens: 7 }], has_more: true, last_id: 'claude-one' },
    )({} as IncomingMessage, response),
  )
  const google = await open(({ url }, response) =>
    json(
      url?.includes('pageToken=next')
        ? { models: [{ name: 'models/gemini-2.5-pro', supportedGenerationMethods: ['generateContent'] }] }
        : {
            models: [
              { name: 'models/gemini-embedding-001', supportedGenerationMethods: ['embedContent'] },
              { name: 'models/gemma-9', inputTokenLimit: 5, outputTokenLimit: 3 },
            ],
            nextPageToken: 'next',
          },
    )({} as IncomingMessage, response),
  )
  const compatible = await open(json({ data: [{ id: 'meta/llama', context_length: 9 }] }))
  const settings: ModelSettings = {
    anthropic: { apiKey, baseUrl: anthropic.url },
    openai: { apiKey, baseUrl: `${openai.url}/v1/` },
    google: { apiKey, baseUrl: google.url },
    compatible: { baseUrl: `${compatible.url}/v1` },
    provider: 'openai',
    model: 'gpt-5',
  }
  const { models, default: standing } = await openProbes(() => settings, limits).available(false)
  expect(standing).toBe('openai/gpt-5')
  expect(models.map(({ name, isDefault, contextWindow }) => [name, isDefault, contextWindow])).toEqual([
    ['anthropic/claude-one', false, 7],
    ['anthropic/claude-two', false, null],
    ['openai/gpt-5', true, 400_000],
    ['openai/gpt-9', false, null],
    ['google/gemini-2.5-pro', false, 1_048_576],
    ['google/gemma-9', false, 5],
    ['compatible/meta/llama', false, 9],
  ])
  expect(models[2]?.price).toEqual({ input: 1.25, output: 10 })
  expect(models[3]?.price).toBeNull()
  expect(anthropic.asked[0]).toMatchObject({
    path: '/v1/models?limit=1000',
    headers: { 'x-api-key': apiKey },
  })
  expect(openai.asked[0]).toMatchObject({
    path: '/v1/models',
    headers: { authorization: `Bearer ${apiKey}` },
  })
  expect(google.asked[0]?.path).toBe('/v1beta/models?pageSize=1000')
  expect(google.asked[0]?.headers['x-goog-api-key']).toBe(apiKey)
  expect(compatible.asked[0]?.headers.authorization).toBeUndefined()
})

test('a provider without a key is told by the name of its variable, and nobody is asked', async () => {
  expect(await checked(none, 'anthropic')).toEqual({
    provider: 'anthropic',
    status: 'unconfigured',
    reason: 'anthropic cannot be asked: ANTHROPIC_API_KEY is not set',
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
    baseUrl: null,
    keySource: null,
    models: 0,
    model: 'claude-sonnet-4-5',
    latencyMs: null,
  })
  const { default: standing, reason } = await openProbes(() => none, limits).check(false)
  expect([standing, reason]).toEqual([null, expect.stringContaining('ANTHROPIC_API_KEY')])
})

test.each([
  [
    'a key that it does not accept',
    'openai',
    json({ error: { message: apiKey } }, 401),
    'unauthorized',
    /does not accept the key in OPENAI_API_KEY \(401\)/,
  ],
  [
    'a key that may do nothing',
    'anthropic',
    json({}, 403),
    'unauthorized',
    /key in ANTHROPIC_API_KEY \(403\)/,
  ],
  [
    'a wrong key, as Google tells it',
    'google',
    json({ error: { message: 'API key not valid.' } }, 400),
    'unauthorized',
    /GOOGLE_GENERATIVE_AI_API_KEY/,
  ],
  [
    'trouble',
    'openai',
    json({ error: { message: `bad\n ${apiKey}` } }, 500),
    'failed',
    /openai answers 500: bad \[key\]/,
  ],
  [
    'something else than JSON',
    'openai',
    (_, response) => response.end('<html>'),
    'failed',
    /not with models: check OPENAI_BASE_URL/,
  ],
  ['JSON of another kind', 'google', json({ data: 'none' }), 'failed', /GOOGLE_GENERATIVE_AI_BASE_URL/],
  [
    'nothing that is known there',
    'compatible',
    json({}, 404),
    'failed',
    /no API of compatible at .*: check COMPATIBLE_BASE_URL/,
  ],
  [
    'a connection that breaks',
    'openai',
    (_, response) => response.destroy(),
    'unreachable',
    /cannot be reached at http.*the connection broke/,
  ],
  [
    'an answer that breaks off',
    'openai',
    (_, response) => response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy()),
    'unreachable',
    /cannot be reached/,
  ],
] as const satisfies [string, ModelProvider, Answering, string, RegExp][])(
  '%s is told as what it is',
  async (_, provider, answering, status, reason) => {
    const { url } = await open(answering)
    expect(await checked(withOne(provider, url), provider)).toMatchObject({
      status,
      reason: expect.stringMatching(reason) as string,
      models: 0,
    })
  },
)

test('a provider that does not answer is given up, and the others are not kept waiting for longer', async () => {
  const silent = await open(() => undefined)
  const quick = await open(listing('m'))
  const settings = withOne('openai', silent.url, { compatible: { baseUrl: quick.url } })
  const { providers } = await openProbes(() => settings, { ...limits, patienceMs: 200 }).check(false)
  const told = Object.fromEntries(providers.map((one) => [one.provider, one]))
  expect(told['openai']).toMatchObject({
    status: 'unreachable',
    reason: expect.stringMatching(/does not answer at http.* within 0.2 s: check OPENAI_BASE_URL/) as string,
  })
  expect(told['compatible']).toMatchObject({ status: 'available', models: 1 })
})

test('an address where nobody listens is told, without what may be a key in it', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const free = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise((resolve) => server.close(resolve))
  const found = await checked(withOne('compatible', `${free}/v1?key=hidden`), 'compatible')
  expect(found).toMatchObject({ status: 'unreachable', baseUrl: `${free}/v1` })
  expect(found?.reason).toMatch(/nobody listens there/)
  expect(found?.reason).not.toContain('hidden')
})

test('a redirect is not followed: whoever it leads to would get the key', async () => {
  const thief = await open(listing('m'))
  const { url } = await open((_, response) =>
    response.writeHead(307, { location: `${thief.url}/models` }).end(),
  )
  for (const provider of ['anthropic', 'openai', 'google', 'compatible'] as const) {
    const found = await checked(withOne(provider, url), provider)
    expect(found).toMatchObject({ status: 'failed', reason: expect.stringContaining(thief.url) as string })
  }
  expect(thief.asked).toEqual([])
})

test('a key with a line break in it is not sent, and not told in anybody else’s words', async () => {
  const { url, asked } = await open(listing('m'))
  const settings: ModelSettings = { ...none, anthropic: { apiKey: `${apiKey}\nx`, baseUrl: url } }
  expect(await checked(settings, 'anthropic')).toMatchObject({
    status: 'unauthorized',
    reason: expect.stringContaining('ANTHROPIC_API_KEY has a space, a line break') as string,
  })
  expect(asked).toEqual([])
})

test('one that lists nothing but accepts the key has the models that are known of it', async () => {
  const { url, asked } = await open(({ method }, response) =>
    json({}, method === 'POST' ? 400 : 404)({} as IncomingMessage, response),
  )
  const found = await checked(withOne('anthropic', url), 'anthropic')
  expect(found).toMatchObject({
    status: 'available',
    reason: expect.stringContaining('does not list') as string,
  })
  expect(found?.models).toBeGreaterThan(5)
  expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/models?limit=1000',
    'POST /v1/messages',
  ])
  const refusing = await open(({ method }, response) =>
    json({}, method === 'POST' ? 401 : 404)({} as IncomingMessage, response),
  )
  expect(await checked(withOne('openai', refusing.url), 'openai')).toMatchObject({ status: 'unauthorized' })
})

test('ten thousand models are told, names that are none are not, and pages without end are left', async () => {
  const names = Array.from({ length: 10_000 }, (_, number) => `m-${number}`)
  const many = await open(listing(...names, 'no\nname', '', 'x'.repeat(10_000)))
  const { models } = await openProbes(() => withOne('compatible', many.url), limits).available(false)
  expect(models.length).toBe(10_000)
  expect(models.at(-1)?.model).toBe('m-9999')
  const endless = await open(json({ models: [{ name: 'models/g' }], nextPageToken: 'again' }))
  expect(await checked(withOne('google', endless.url), 'google')).toMatchObject({ models: 1 })
  expect(endless.asked.length).toBe(2)
})

test('the default is there under the name that it is set by, also where it is listed with its date', async () => {
  const { url } = await open(listing('claude-sonnet-4-5-20250929', 'claude-haiku-4-5'))
  const { models } = await openProbes(() => withOne('anthropic', url), limits).available(false)
  expect(models.map(({ model, isDefault }) => [model, isDefault])).toEqual([
    ['claude-sonnet-4-5', true],
    ['claude-haiku-4-5', false],
    ['claude-sonnet-4-5-20250929', false],
  ])
})

test('a default that its provider does not list is told', async () => {
  const { url } = await open(listing('gpt-5'))
  const { reason } = await openProbes(() => withOne('openai', url, { model: 'gpt-6' }), limits).check(false)
  expect(reason).toMatch(/openai does not list gpt-6/)
})

test('all who ask at once are answered by one question, and what is known is not asked for again', async () => {
  const { url, asked } = await open(listing('m'))
  let settings = withOne('compatible', url)
  const probes = openProbes(() => settings, { ...limits, leastMs: 60_000 })
  const answers = await Promise.all([probes.check(true), probes.available(false), probes.available(true)])
  await probes.available(true)
  expect(asked.length).toBe(1)
  expect(answers[1].ageMs).toBeGreaterThanOrEqual(0)
  settings = withOne('compatible', `${url}/other`)
  await probes.available(false)
  expect(asked.map(({ path }) => path)).toEqual(['/models', '/other/models'])
})

test('whoever wants to know it anew has it asked again', async () => {
  const { url, asked } = await open(listing('m'))
  const probes = openProbes(() => withOne('compatible', url), limits)
  await probes.available(false)
  await probes.available(false)
  expect(asked.length).toBe(1)
  await probes.available(true)
  expect(asked.length).toBe(2)
})

test('while somebody is missing it is not kept for long', async () => {
  let isBack = false
  const { url, asked } = await open((request, response) =>
    isBack ? listing('m')(request, response) : json({}, 500)(request, response),
  )
  const probes = openProbes(() => withOne('compatible', url), { ...limits, keptWhileMissingMs: 0 })
  expect((await probes.available(false)).models).toEqual([])
  isBack = true
  expect((await probes.available(false)).models.length).toBe(1)
  expect((await probes.available(false)).models.length).toBe(1)
  expect(asked.length).toBe(2)
})
