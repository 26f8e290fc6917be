import { expect, test, vi } from 'vitest'
import { openSource } from '../../../test/support/mcp-source.ts'
import { webSocketUpstream } from '../../../test/support/web-socket-upstream.ts'
import type { SourceConfig } from '#contract/source.ts'
import type { McpSourceSpec } from './open.ts'

const results: Record<string, object> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'socket', version: '1' },
  },
  'tools/list': {
    tools: ['echo', 'huge', 'noise', 'flood', 'leave'].map((name) => ({
      name,
      inputSchema: { type: 'object' },
    })),
  },
}

async function open(way: Partial<SourceConfig> = {}, more: Partial<McpSourceSpec> = {}) {
  const upstream = await webSocketUpstream(({ id, method, params }, say) => {
    const reply = (more: object) => say(JSON.stringify({ jsonrpc: '2.0', id, ...more }))
    if (id === undefined) return
    const { name } = (params ?? {}) as { name?: string }
    if (name === 'huge')
      return reply({ result: { content: [{ type: 'text', text: 'x'.repeat(17_000_000) }] } })
    if (name === 'leave') return upstream.sockets.at(-1)?.destroy()
    if (name === 'noise') say('hello?')
    if (name === 'flood')
      for (let at = 0; at < 3_000; at += 1) say('{"jsonrpc":"2.0","method":"notifications/message"}')
    if (method === 'tools/call') return reply({ result: { content: [{ type: 'text', text: 'by socket' }] } })
    const result = results[String(method)]
    return reply(result ? { result } : { error: { code: -32601, message: 'no' } })
  })
  const token = { type: 'bearer' as const, token: 't', scopes: [] }
  return {
    upstream,
    ...openSource(
      { transport: 'websocket', url: upstream.url, headers: { 'x-key': 'k' }, auth: token, ...way },
      more,
    ),
  }
}

test('a socket of the subprotocol mcp is opened with the headers of the owner, and spoken by', async () => {
  const { text, source, upstream } = await open()
  expect(await text('echo')).toBe('by socket')
  expect(source.health()).toMatchObject({ status: 'healthy', server: 'socket 1' })
  expect(upstream.came[0]?.headers).toMatchObject({
    'sec-websocket-protocol': 'mcp',
    'x-key': 'k',
    authorization: 'Bearer t',
  })
  expect(await text('noise')).toBe('by socket')
  expect(source.health().error).toBe('It sent a frame that is no message')
})

test('a socket that is cut or sends too often is left, and opened again; what is too long is skipped', async () => {
  const { call, text, becomes, upstream } = await open()
  await becomes('healthy')
  await expect(call('leave')).rejects.toMatchObject({ reason: 'source_failed' })
  await becomes('healthy')
  await expect(call('huge')).rejects.toMatchObject({
    reason: 'answer_too_large',
    message: expect.stringContaining('ask for less'),
  })
  await expect(call('flood')).rejects.toMatchObject({ message: expect.stringContaining('anybody can read') })
  await becomes('healthy')
  expect(await text('echo')).toBe('by socket')
  expect(upstream.came).toHaveLength(3)
})

test('an address where no socket is opened is told of', async () => {
  const { source, becomes } = openSource({ transport: 'websocket', url: 'ws://127.0.0.1:9/mcp' })
  await becomes('unhealthy')
  expect(source.health().error).toMatch(/^No WebSocket was opened/)
})

test('a socket is closed when what opened it is taken back, and opened anew when somebody lets us in again', async () => {
  let token: string | undefined = 'first'
  const told = new Set<() => void>()
  const authFor = () => ({
    principalId: 'ada',
    token: async () => token,
    onUnauthorized: () => Promise.reject(new Error('a socket cannot be refused like this')),
    needsScope: async () => 'more',
    onChange: (listener: () => void) => {
      told.add(listener)
      return () => told.delete(listener)
    },
  })
  const nowHave = (next: string | undefined) => {
    token = next
    for (const tell of told) tell()
  }
  const { text, call, becomes, upstream } = await open({ auth: { type: 'oauth', scopes: [] } }, { authFor })
  expect(await text('echo')).toBe('by socket')
  const [socket] = upstream.sockets
  nowHave(undefined)
  await vi.waitFor(() => expect(socket?.closed).toBe(true), 15_000)
  await becomes('unauthorized')
  await expect(call('echo')).rejects.toMatchObject({ reason: 'source_unauthorized' })
  expect(upstream.came).toHaveLength(1)

  nowHave('second')
  await becomes('healthy')
  nowHave('third')
  await vi.waitFor(
    () => expect(upstream.sockets.map(({ closed }) => closed)).toEqual([true, true, false]),
    15_000,
  )
  expect(await text('echo')).toBe('by socket')
  expect(upstream.came.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer first',
    'Bearer second',
    'Bearer third',
  ])
})
