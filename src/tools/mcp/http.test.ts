import { describe, expect, test, vi } from 'vitest'
import { openSource } from '../../../test/support/mcp-source.ts'
import { httpUpstream } from '../../../test/support/http-upstream.ts'
import type { Answering, HttpUpstream } from '../../../test/support/http-upstream.ts'

const patient = { timeout: 20_000, interval: 20 }
const sourceAt = ({ url }: HttpUpstream, more: object = {}) => openSource({ transport: 'http', url, ...more })

test('headers and token go to the address they were given for, and follow no redirect to another host', async () => {
  const upstream = await httpUpstream()
  const other = await httpUpstream()
  const seen: unknown[] = []
  upstream.instead.set('tools/list', (_message, request) => {
    seen.push(request.headers['x-key'], request.headers.authorization)
    return { tools: [] }
  })
  other.instead.set('*', (_message, { headers }) => {
    seen.push(headers)
    return {}
  })
  const { call, source, becomes } = sourceAt(upstream, {
    headers: { 'x-key': 'k' },
    auth: { type: 'bearer', token: 't', scopes: [] },
  })
  await becomes('healthy')
  expect(seen).toEqual(['k', 'Bearer t'])
  upstream.instead.set('tools/call', (_message, _request, response) => {
    response.writeHead(307, { location: other.url }).end()
  })
  await expect(call('echo')).rejects.toMatchObject({
    reason: 'source_unavailable',
    message: `under-test: It redirects to another host, ${new URL(other.url).origin} (307), which is not followed: if that is right, give that address`,
  })
  expect(seen).toHaveLength(2)
  expect(other.heard).toEqual([])
  expect(source.health().status).toBe('healthy')
})

test('a redirect to another path of the same host is followed', async () => {
  const upstream = await httpUpstream()
  upstream.instead.set('tools/call', (_message, request, response) => {
    if (request.url === '/mcp/') return { content: [{ type: 'text', text: 'further on' }] }
    response.writeHead(308, { location: '/mcp/' }).end()
    return undefined
  })
  expect(await sourceAt(upstream).text('echo')).toBe('further on')
})

test('a wrong token makes it unauthorized, and nobody hammers at the door', async () => {
  const upstream = await httpUpstream()
  upstream.instead.set('*', (_message, _request, response) => {
    response.writeHead(401).end()
  })
  const { call, source, becomes } = sourceAt(upstream)
  await becomes('unauthorized')
  expect(Date.parse(source.health().nextRetryAt ?? '') - Date.now()).toBeGreaterThan(120_000)
  expect(source.health()).toMatchObject({
    error: 'It does not let us in (HTTP 401): check its token or headers, or log in there',
  })
  const knocks = upstream.heard.length
  for (let times = 0; times < 3; times += 1)
    await expect(call('echo')).rejects.toMatchObject({ reason: 'source_unauthorized', isUnsent: true })
  expect(upstream.heard).toHaveLength(knocks)
})

test('where we were not let in it is tried again, at a slow pace', async () => {
  const upstream = await httpUpstream()
  upstream.instead.set('*', (_message, _request, response) => void response.writeHead(401).end())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { source } = sourceAt(upstream)
    await vi.waitFor(() => expect(source.health().status).toBe('unauthorized'), patient)
    upstream.instead.clear()
    await vi.advanceTimersByTimeAsync(240_000)
    await vi.waitFor(() => expect(source.health().status).toBe('healthy'), patient)
    await source.close()
  } finally {
    vi.useRealTimers()
  }
})

describe('what a call comes to when the answer is', () => {
  const cases: [string, (upstream: HttpUpstream) => void, object][] = [
    [
      'a failure',
      ({ instead }) =>
        instead.set('tools/call', (_m, _r, response) => void response.writeHead(500).end('boom')),
      { reason: 'source_failed', message: 'under-test: It answered with HTTP 500: boom' },
    ],
    [
      'that it is too busy',
      ({ instead }) => instead.set('tools/call', (_m, _r, response) => void response.writeHead(503).end()),
      { reason: 'source_unavailable', isUnsent: true, message: 'under-test: It answered with HTTP 503' },
    ],
    [
      'another kind of page',
      ({ instead }) =>
        instead.set('tools/call', (_m, _r, response) => {
          response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
        }),
      { reason: 'source_failed', message: expect.stringContaining('does not speak MCP') },
    ],
    [
      'cut off',
      ({ instead }) => instead.set('tools/call', (_m, _r, response) => void response.destroy()),
      { reason: 'source_unavailable', isUnsent: false, message: 'under-test: The connection was cut' },
    ],
    [
      'a stream that ends without one',
      ({ instead }) =>
        instead.set('tools/call', (_m, _r, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n')
        }),
      { reason: 'source_failed', message: 'under-test: It closed the connection without an answer' },
    ],
    [
      'none',
      ({ instead }) =>
        instead.set('tools/call', ({ id }, _r, response) => {
          response.writeHead(200, { 'content-type': 'application/json' })
          response.end(JSON.stringify({ jsonrpc: '2.0', id, result: null }))
        }),
      { reason: 'source_failed', message: 'under-test: It answered with something that is no answer' },
    ],
    [
      'none, on a stream that stays open',
      ({ instead }) =>
        instead.set('tools/call', ({ id }, _r, response) => {
          const answer = JSON.stringify({ jsonrpc: '2.0', id, result: null })
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.write(`data: {"jsonrpc":"2.0","method":7}\n\ndata: ${answer}\n\n`)
        }),
      { reason: 'source_failed', message: 'under-test: It answered with something that is no answer' },
    ],
    [
      'no JSON',
      ({ instead }) =>
        instead.set('tools/call', (_m, _r, response) => {
          response.writeHead(200, { 'content-type': 'application/json' }).end('well')
        }),
      { reason: 'source_failed', message: expect.stringContaining('its answer was not understood') },
    ],
    [
      'not one of MCP',
      ({ instead }) => instead.set('tools/call', () => ({ content: 'yes' })),
      { reason: 'source_failed', message: expect.stringContaining('Its answer is not one of MCP') },
    ],
    [
      'longer than any may be',
      ({ instead }) =>
        instead.set('tools/call', () => ({ content: [{ type: 'text', text: 'x'.repeat(50_000_000) }] })),
      { reason: 'answer_too_large', message: expect.stringContaining('more than 16 MB') },
    ],
    [
      'an event without an end',
      ({ instead }) =>
        instead.set('tools/call', (_m, _r, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          const line = `data: ${'x'.repeat(100_000)}\n`
          const more = () => {
            while (response.write(line));
            response.once('drain', more)
          }
          more()
        }),
      { reason: 'answer_too_large', message: expect.stringContaining('more than 16 MB') },
    ],
    [
      'that nobody is there any more',
      (upstream) => {
        upstream.server.close()
        upstream.cut()
      },
      { reason: 'source_unavailable', isUnsent: true },
    ],
  ]
  test.each(cases)('%s', async (_name, prepare, failure) => {
    const upstream = await httpUpstream()
    const { call, becomes } = sourceAt(upstream)
    await becomes('healthy')
    prepare(upstream)
    await expect(call('echo')).rejects.toMatchObject(failure)
  })
})

test('a stream that its server leaves open after the answer is closed', async () => {
  const upstream = await httpUpstream()
  const left = Promise.withResolvers<void>()
  upstream.instead.set('tools/call', ({ id }, _request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const result = { content: [{ type: 'text', text: 'and then?' }] }
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
    response.on('close', () => left.resolve())
  })
  expect(await sourceAt(upstream).text('echo')).toBe('and then?')
  await left.promise
})

test.each([
  [404, ''],
  [400, '{"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}'],
])('a session that the server has forgotten (%i) is begun anew in the call', async (status, words) => {
  const upstream = await httpUpstream()
  let session = 0
  const needsSession =
    (result: object) => (_m: object, request: { headers: object }, response: HttpResponse) => {
      if ((request.headers as Record<string, string>)['mcp-session-id'] === `s${session}`) return result
      response.writeHead(status).end(words)
      return undefined
    }
  type HttpResponse = { writeHead: (status: number) => { end: (words: string) => void } }
  upstream.instead.set('initialize', ({ id }, _request, response) => {
    session += 1
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
    }
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': `s${session}` })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  upstream.instead.set('tools/call', needsSession({ content: [{ type: 'text', text: 'known' }] }))
  upstream.instead.set('tools/list', needsSession({ tools: [] }))
  upstream.instead.set('ping', needsSession({}))
  const { text } = sourceAt(upstream)
  expect(await text('echo')).toBe('known')
  session += 1
  expect(await Promise.all([text('echo'), text('echo')])).toEqual(['known', 'known'])
  expect(upstream.heard.filter((one) => one === 'POST initialize')).toHaveLength(2)
})

test('a server that has only the transport of 2024 is found, and remembered', async () => {
  const upstream = await httpUpstream()
  const streams: { write: (text: string) => void }[] = []
  upstream.instead.set('GET', (_message, _request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('event: endpoint\ndata: /messages\n\n')
    streams.push(response)
  })
  const answers: Record<string, object> = {
    initialize: {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 'old', version: '1' },
    },
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'by the old way' }] },
  }
  upstream.instead.set('*', (message, request, response) => {
    if (request.url !== '/messages') return void response.writeHead(405).end()
    response.writeHead(202).end()
    const result = answers[message.method ?? '']
    if (result)
      streams.at(-1)?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n\n`)
    return undefined
  })
  const { text, source } = sourceAt(upstream)
  expect(await text('echo')).toBe('by the old way')
  expect(source.health()).toMatchObject({ protocol: '2024-11-05', server: 'old 1' })
  const posts = () => upstream.heard.filter((one) => one === 'POST server/discover').length
  const before = posts()
  upstream.cut()
  await vi.waitFor(async () => expect(await text('echo')).toBe('by the old way'), patient)
  expect(posts()).toBe(before)
})

describe('what is told of an address where', () => {
  const json = { 'content-type': 'application/json' }
  const cases: [string, 'http' | 'sse', Answering, string][] = [
    [
      'another kind of JSON is',
      'http',
      (_m, _r, response) => void response.writeHead(200, json).end('{"hello":1}'),
      'What answers there does not speak MCP: its first answer was not understood',
    ],
    [
      'no JSON is',
      'http',
      (_m, _r, response) => void response.writeHead(200, json).end('hello'),
      'What answers there does not speak MCP: its first answer was not understood',
    ],
    [
      'no stream is',
      'sse',
      (_m, _r, response) => void response.writeHead(200, json).end('{}'),
      'What answers there does not speak MCP, or not over SSE',
    ],
    ['the connection is cut', 'sse', (_m, _r, response) => void response.destroy(), 'The connection was cut'],
  ]
  test.each(cases)('%s (%s)', async (_name, transport, answer, told) => {
    const upstream = await httpUpstream()
    upstream.instead.set('*', answer)
    const { source, becomes } = openSource({ transport, url: upstream.url })
    await becomes('unhealthy')
    expect(source.health().error).toBe(told)
  })

  test.each(['http', 'sse'] as const)('nobody listens (%s)', async (transport) => {
    const upstream = await httpUpstream()
    await new Promise((resolve) => upstream.server.close(resolve))
    const { source, becomes } = openSource({ transport, url: upstream.url })
    await becomes('unhealthy')
    expect(source.health().error).toBe('Nobody listens at its address (connection refused)')
  })
})
