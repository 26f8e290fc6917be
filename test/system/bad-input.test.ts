import { request } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSignalbox } from '../support/signalbox.ts'
import type { Answer, Signalbox } from '../support/signalbox.ts'

let box: Signalbox
let before: number
beforeAll(async () => {
  box = await startSignalbox()
  await box.call('POST', '/tasks', { title: 'the only one' })
  before = await total()
})
afterAll(async () => {
  await box.stop()
})

const total = async () => (await box.call('GET', '/tasks')).body.meta.total as number

/** A refusal is an envelope with a code, a sentence and the request's id; never a trace of the code behind it. */
function isPlain({ status, body, headers }: Answer): void {
  expect(body.error).toMatchObject({ code: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) })
  expect(body.error.requestId).toBe(headers.get('x-request-id'))
  expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts:\d|at \w+ \(|select |insert |pg_/i)
  expect(status).toBeLessThan(500)
}

const fieldOf = (answer: Answer) => answer.body.error.context?.fields?.[0]?.field

describe('a title', () => {
  test.each([
    ['empty', ''],
    ['blank', ' \t\n '],
    ['of 501 characters', 'x'.repeat(501)],
    ['with a NUL', 'a\u0000b'],
    ['with a lone surrogate', 'a\ud800b'],
    ['with a right-to-left override', 'invoice\u202etxt.exe'],
    ['with an isolate', 'a\u2066b'],
    ['with an escape character', 'a\u001b[31mred'],
    ['with a line break', 'a\nb'],
    ['that is a number', 5],
    ['that is null', null],
    ['that is a list', ['a']],
  ])('%s is refused, and nothing is written', async (_, title) => {
    const answer = await box.call('POST', '/tasks', { title })
    isPlain(answer)
    expect([answer.status, fieldOf(answer)]).toEqual([422, 'title'])
    expect(await total()).toBe(before)
  })

  test('of 10 MB is too large', async () => {
    const answer = await box.call('POST', '/tasks', { title: 'x'.repeat(10_000_000) })
    isPlain(answer)
    expect(answer.status).toBe(413)
  })

  test('in Arabic, Hebrew, Chinese or emoji is fine', async () => {
    for (const title of ['مهمة جديدة', 'משימה חדשה', '新任务', '🚂 👩🏽‍💻']) {
      const { status, body } = await box.call('POST', '/tasks', { title })
      expect([status, body.data.title]).toEqual([201, title])
      await box.call('DELETE', `/tasks/${body.data.id}`)
    }
  })
})

describe('a body', () => {
  test.each([
    ['broken', '{"title":', 400],
    ['not JSON', 'title=x', 400],
    ['empty', '', 422],
    ['a list', '[]', 422],
    ['null', 'null', 422],
    ['with a key twice', '{"title":"a","title":"b"}', 422],
    ['nested a hundred thousand deep', `{"title":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 422],
    ['with an unknown key', '{"title":"a","colour":"red"}', 422],
    ['with __proto__', '{"title":"a","__proto__":{"status":"done"}}', 422],
    ['with a wrong status', '{"title":"a","status":"doing"}', 422],
    ['with a parent that is no UUID', '{"title":"a","parentTaskId":"1"}', 422],
  ])('%s is refused', async (_, body, status) => {
    const answer = await box.call('POST', '/tasks', body)
    isPlain(answer)
    expect(answer.status).toBe(status)
    expect(await total()).toBe(before)
  })

  test('of another type, or that is not UTF-8, is refused', async () => {
    const typed = await box.call('POST', '/tasks', '{"title":"a"}', { 'content-type': 'text/plain' })
    isPlain(typed)
    expect([typed.status, fieldOf(typed)]).toEqual([422, 'Content-Type'])
    const raw = await fetch(`${box.url}/api/v1/tasks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${box.token}`, 'content-type': 'application/json' },
      body: Buffer.from('7b227469746c65223a22ff227d', 'hex'),
    })
    expect(raw.status).toBe(400)
  })
})

describe('an address', () => {
  test.each([
    ['/tasks/1', 422, 'id'],
    ['/tasks/%00', 422, 'id'],
    [`/tasks/${'x'.repeat(300)}`, 422, 'id'],
    ['/tasks?page=-1', 422, 'page'],
    ['/tasks?page=0', 422, 'page'],
    ['/tasks?page=1.5', 422, 'page'],
    ['/tasks?page=1e99', 422, 'page'],
    ['/tasks?page=', 422, 'page'],
    ['/tasks?page=1&page=2', 422, 'page'],
    ['/tasks?pageSize=501', 422, 'pageSize'],
    ['/tasks?status=none', 422, 'status'],
    ['/tasks?assigneeAgentId=me', 422, 'assigneeAgentId'],
    ['/tasks?q=%00', 422, 'q'],
    ['/tasks?unknown=1', 422, 'unknown'],
    ['/nothing', 404, undefined],
  ])('%s is refused', async (path, status, field) => {
    const answer = await box.call('GET', path)
    isPlain(answer)
    expect(answer.status).toBe(status)
    expect(fieldOf(answer)).toBe(field)
  })

  test('with a parameter twice says so', async () => {
    const { body } = await box.call('GET', '/tasks?page=1&page=2')
    expect(body.error.context.fields[0].reason).toContain('once')
  })

  test('that is malformed never ends in a 500', async () => {
    for (const path of [
      '/api/v1/tasks/%ff',
      '/api/v1/%',
      '//',
      '/api/v1/../../etc/passwd',
      '/api/v1/tasks/%2e%2e%2f',
      '/%c0%ae',
    ])
      expect([path, (await raw(path)) < 500]).toEqual([path, true])
  })
})

test('a request that should have a body and has none is refused, with and without a type', async () => {
  for (const [method, path] of [
    ['POST', '/tasks'],
    ['POST', '/users'],
  ] as const)
    for (const headers of [{}, { 'content-type': 'application/json' }] as Record<string, string>[]) {
      const answer = await box.call(method, path, undefined, headers)
      isPlain(answer)
      expect([path, answer.status]).toEqual([path, 422])
    }
  for (const headers of [{}, { 'content-type': 'application/json' }] as Record<string, string>[])
    expect((await box.call('POST', '/auth/session', undefined, headers)).status).toBe(200)
})

test('whatever is thrown at any route of the contract, the answer is plain and never a 500', async () => {
  const { body: document } = await box.call('GET', '/openapi.json')
  const operations = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  )
  expect(operations.length).toBeGreaterThan(15)
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u0000', '\ud800', '../..', "' or 1=1 --", '{{x}}'),
  )
  const known = fc.constantFrom(
    'title',
    'description',
    'status',
    'priority',
    'parentTaskId',
    'beforeId',
    'afterId',
    'dependsOnTaskId',
    'name',
    'scopes',
    'logLevel',
  )
  const value = fc.letrec((tie) => ({
    any: fc.oneof(fc.jsonValue({ maxDepth: 3 }), text, fc.uuid(), tie('record')),
    record: fc.dictionary(fc.oneof(known, text), fc.oneof(text, fc.uuid(), fc.integer(), fc.constant(null)), {
      maxKeys: 5,
    }),
  }))
  const attempt = fc.record({
    operation: fc.constantFrom(...operations),
    id: fc.oneof(fc.uuid(), text),
    query: fc.dictionary(
      fc.oneof(fc.constantFrom('page', 'pageSize', 'status', 'q', 'parentTaskId', 'subtasks', 'after'), text),
      text,
      { maxKeys: 3 },
    ),
    body: value.any,
  })
  await fc.assert(
    fc.asyncProperty(attempt, async ({ operation, id, query, body }) => {
      const { method, path } = operation
      // Opening a stream or ending one's own login are no bad input.
      if (path.startsWith('/sse') || path === '/discovery/stream') return
      if (path === '/auth/session' && method !== 'GET') return
      // A browser that comes back from an issuer is led to the page.
      if (path === '/mcp/callback' && method === 'GET') return
      const place =
        path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(id.toWellFormed())) + encodeQuery(query)
      const answer = await box.call(
        method,
        place,
        method === 'GET' ? undefined : JSON.stringify(body) || 'null',
      )
      if (answer.status >= 400) isPlain(answer)
      expect(answer.status).toBeLessThan(500)
    }),
    {
      numRuns: Number(process.env['BAD_INPUT_RUNS'] ?? 1500),
      ...(process.env['SEED'] && { seed: Number(process.env['SEED']) }),
    },
  )
}, 120_000)

const encodeQuery = (query: Record<string, string>) =>
  `?${Object.entries(query)
    .map(
      ([key, value]) =>
        `${encodeURIComponent(key.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`,
    )
    .join('&')}`

/** A request whose path goes out exactly as written. */
function raw(path: string): Promise<number> {
  const { hostname, port } = new URL(box.url)
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers: { authorization: `Bearer ${box.token}` } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
      .on('error', reject)
      .end()
  })
}
