import { expect, test, vi } from 'vitest'
import { ada, bob, openSource, program } from '../../../test/support/mcp-source.ts'
import { httpUpstream } from '../../../test/support/http-upstream.ts'
import type { Answering, JsonRpc } from '../../../test/support/http-upstream.ts'
import type { UpstreamAuth } from './auth.ts'
import { CallFailed } from '../port.ts'
import { personOf } from './people.ts'

const patient = { timeout: 20_000, interval: 10 }
const count = (heard: string[], what: string) => heard.filter((one) => one === what).length

test('many calls at once wait for one start', async () => {
  const upstream = await httpUpstream()
  const { text } = openSource({ transport: 'http', url: upstream.url })
  const said = await Promise.all(Array.from({ length: 20 }, () => text('echo')))
  expect(new Set(said)).toEqual(new Set(['well']))
  expect(count(upstream.heard, 'POST initialize')).toBe(1)
})

const ending = 'It ended with exit code 3; the last line on its standard error was: the disk is on fire'

test('a program that dies in a call fails that call, with its last words, and is there again soon', async () => {
  const { call, source, changes, becomes } = openSource(program('legacy-server'))
  await becomes('healthy')
  const { pid } = source.health()
  changes.length = 0
  await expect(call('die')).rejects.toMatchObject({
    reason: 'source_failed',
    isUnsent: false,
    message: `under-test: ${ending}`,
  })
  expect(changes).toContainEqual({ kind: 'health' })
  await becomes('healthy')
  expect(source.health().pid).not.toBe(pid)
  expect(source.health().error).toBe(ending)
})

test('what is lost is still listed; a call tries at once, and fails fast right after a try that came to nothing', async () => {
  const upstream = await httpUpstream()
  const retryPolicy = { maxRetries: 0, initialDelay: 60_000, maxDelay: 60_000 }
  const { call, source, becomes } = openSource({ transport: 'http', url: upstream.url, retryPolicy })
  await becomes('healthy')
  upstream.instead.set('*', (_message, _request, response) => void response.destroy())
  await expect(call('echo')).rejects.toMatchObject({ reason: 'source_unavailable' })
  await becomes('unhealthy')
  expect(source.tools()).toHaveLength(1)
  const { nextRetryAt } = source.health()
  expect(Date.parse(nextRetryAt ?? '') - Date.now()).toBeGreaterThan(25_000)

  await expect(call('echo')).rejects.toMatchObject({ reason: 'source_unavailable' })
  const tries = upstream.heard.length
  await expect(call('echo')).rejects.toMatchObject({
    reason: 'source_unavailable',
    isUnsent: true,
    message: expect.stringMatching(/^under-test: The connection was cut; it is tried again at 20/),
  })
  expect(upstream.heard).toHaveLength(tries)
  upstream.instead.clear()
  await vi.waitFor(() => call('echo'), patient)
  expect(source.health()).toMatchObject({ status: 'healthy', nextRetryAt: null })
})

test('a server that takes everything and never answers is unhealthy after a while, and holds nobody', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const upstream = await httpUpstream()
    upstream.instead.set('*', () => undefined)
    const { source, call } = openSource({ transport: 'http', url: upstream.url })
    const waiting = call('echo').catch((error: unknown) => error)
    await vi.waitFor(() => expect(upstream.heard.length).toBeGreaterThan(0), patient)
    await vi.advanceTimersByTimeAsync(21_000)
    expect(await waiting).toMatchObject({ reason: 'source_unavailable', isUnsent: true })
    expect(source.health()).toMatchObject({
      status: 'unhealthy',
      error: expect.stringMatching(/did not answer/i),
    })
    await source.close()
  } finally {
    vi.useRealTimers()
  }
})

test('one that stops answering is found out by asking now and then, though nothing was cut', async () => {
  const upstream = await httpUpstream()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { source } = openSource({ transport: 'http', url: upstream.url })
    await vi.waitFor(() => expect(source.health().status).toBe('healthy'), patient)
    upstream.instead.set('ping', () => ({}))
    await vi.advanceTimersByTimeAsync(20_000)
    await vi.waitFor(() => expect(upstream.heard).toContain('POST ping'), patient)
    expect(source.health().status).toBe('healthy')
    upstream.instead.set('ping', (_message, _request, response) => void response.writeHead(500).end())
    await vi.advanceTimersByTimeAsync(20_000)
    await vi.waitFor(() => expect(source.health().status).toBe('unhealthy'), patient)
    await source.close()
  } finally {
    vi.useRealTimers()
  }
})

test('a stream that is cut makes us look at once', async () => {
  const upstream = await httpUpstream()
  upstream.instead.set('GET', (_message, _request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
  })
  const { source, becomes } = openSource({ transport: 'http', url: upstream.url })
  await becomes('healthy')
  await vi.waitFor(() => expect(upstream.heard).toContain('GET'), patient)
  upstream.instead.set('*', (_message, _request, response) => void response.writeHead(503).end())
  const began = performance.now()
  upstream.cut()
  await becomes('unhealthy')
  expect(performance.now() - began).toBeLessThan(5_000)
  upstream.instead.clear()
  await becomes('healthy')
  expect(source.health().nextRetryAt).toBeNull()
})

/** A call whose stream can be taken up again, as its server says by an id. */
const beginsStream: Answering = (_message, _request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 1\ndata:\n\n')
}

test('a server that dies in a call fails it at once, and is unhealthy', async () => {
  const upstream = await httpUpstream()
  upstream.instead.set('tools/call', beginsStream)
  const { call, source, becomes } = openSource({ transport: 'http', url: upstream.url })
  await becomes('healthy')
  const calls = [call('echo'), call('echo')].map((one) => one.catch((error: unknown) => error))
  await vi.waitFor(() => expect(count(upstream.heard, 'POST tools/call')).toBe(2), patient)
  const began = performance.now()
  upstream.server.close()
  upstream.cut()
  for (const failure of await Promise.all(calls))
    expect(failure).toMatchObject({
      reason: 'source_failed',
      isUnsent: false,
      message: expect.stringMatching(/What the call has done by then is not known$/),
    })
  expect(source.health().status).toBe('unhealthy')
  expect(performance.now() - began).toBeLessThan(5_000)
})

test('a stream that is cut in a call is taken up where the server is still there, though it has no time', async () => {
  const upstream = await httpUpstream()
  upstream.instead.set('ping', (_message, _request, response) => void response.writeHead(503).end())
  const asked: JsonRpc[] = []
  upstream.instead.set('tools/call', (message, request, response) => {
    asked.push(message)
    return beginsStream(message, request, response)
  })
  upstream.instead.set('GET', (_message, { headers }, response) => {
    if (headers['last-event-id'] !== '1') return void response.writeHead(405).end()
    const result = { content: [{ type: 'text', text: 'all the same' }] }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: asked[0]?.id, result })}\n\n`)
    return undefined
  })
  const { text, source } = openSource({ transport: 'http', url: upstream.url })
  const said = text('echo')
  await vi.waitFor(() => expect(asked).toHaveLength(1), patient)
  upstream.cut()
  expect(await said).toBe('all the same')
  expect(upstream.heard).toContain('POST ping')
  expect(source.health().status).toBe('healthy')
})

test('what went wrong long ago is not told of a source that is well', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const { text, source } = openSource(program('legacy-server'))
    await text('noise')
    vi.advanceTimersByTime(9 * 60_000)
    expect(source.health().error).toContain('no message')
    vi.advanceTimersByTime(2 * 60_000)
    expect(source.health()).toMatchObject({ status: 'healthy', error: null, errorAt: null })
  } finally {
    vi.useRealTimers()
  }
})

test('pages are read to their end, circles are left, bad tools are left out, and too many are refused', async () => {
  const names = (behaviour: string) => {
    const opened = openSource(program('legacy-server', behaviour))
    return { ...opened, names: () => opened.source.tools().map(({ name }) => name) }
  }
  const pages = names('pages')
  const circle = names('circle')
  const bad = names('bad-tools')
  const many = names('too-many')
  await Promise.all([pages, circle, bad].map(({ becomes }) => becomes('healthy')))
  expect(pages.names()).toEqual(['page-0', 'page-1', 'page-2', 'page-3', 'page-4'])
  expect(circle.names()).toEqual(['at-start', 'at-a', 'at-b'])
  expect(bad.names()).toEqual(['good'])
  expect(bad.source.health().error).toBe(
    '3 of its tools are none and were left out: no-schema, one without a name, one without a name',
  )
  await many.becomes('unhealthy')
  expect(many.source.health().error).toBe('It offers more tools than can be kept (10000)')
})

test('where people let us in by themselves everybody has a connection, an agent that of its person, and nobody another’s', async () => {
  const upstream = await httpUpstream()
  upstream.instead.set('tools/call', (_message, { headers }) => ({
    content: [{ type: 'text', text: headers.authorization ?? 'nobody' }],
  }))
  const let_in = new Map<string, () => void>()
  const known = new Set(['ada'])
  upstream.instead.set('initialize', (_message, { headers }, response) => {
    if (headers.authorization !== undefined) return usualInitialize
    response.writeHead(401).end()
    return undefined
  })
  const authFor = (caller: Parameters<typeof personOf>[0] | undefined): UpstreamAuth | undefined => {
    if (!caller) return undefined
    const principalId = personOf(caller)
    return {
      principalId,
      token: async () => (known.has(principalId) ? principalId : undefined),
      onUnauthorized: () => Promise.reject(new CallFailed('source_unauthorized', 'Log in there first')),
      needsScope: async () => 'more',
      onChange: (listener) => {
        let_in.set(principalId, listener)
        return () => let_in.delete(principalId)
      },
    }
  }
  const auth = { type: 'oauth' as const, scopes: [] }
  const { call, source } = openSource({ transport: 'http', url: upstream.url, auth }, { authFor })
  expect(source.health()).toMatchObject({ status: 'unauthorized', error: 'Nobody has let us in there yet' })
  const agent = {
    kind: 'agent',
    id: 'agent:1',
    agentId: '1',
    agentName: 'a',
    allowedTools: [],
    sessionId: 's',
    executionId: 'e',
    onBehalfOf: 'ada',
  } as const
  expect(await call('echo')).toMatchObject({ content: [{ text: 'Bearer ada' }] })
  expect(await call('echo', {}, {}, agent)).toMatchObject({ content: [{ text: 'Bearer ada' }] })
  expect(count(upstream.heard, 'POST initialize')).toBe(1)
  await expect(call('echo', {}, {}, bob)).rejects.toMatchObject({
    reason: 'source_unauthorized',
    message: 'under-test: Log in there first',
  })
  expect(source.tools(bob)).toEqual([])
  expect(source.tools(ada)).toHaveLength(1)
  known.add('bob')
  let_in.get('bob')?.()
  await vi.waitFor(() => expect(source.tools(bob)).toHaveLength(1), patient)
  expect(await call('echo', {}, {}, bob)).toMatchObject({ content: [{ text: 'Bearer bob' }] })
})

const usualInitialize = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'guarded', version: '1' },
}
