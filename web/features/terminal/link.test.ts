import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import type { WebSocket as Served } from 'ws'
import type { TerminalTold } from '../../../src/contract/terminal.ts'
import { openLink } from './link.ts'
import type { LinkOptions } from './link.ts'

const endings: (() => void)[] = []
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

const ready: TerminalTold = {
  type: 'ready',
  window: 'shell',
  readOnly: false,
  takenOver: false,
  viewers: 1,
  cols: 80,
  rows: 24,
}
const told = (socket: Served, frame: TerminalTold) => socket.send(JSON.stringify(frame))

/** A real server whose every socket is met by the next handler of the script. */
async function serve(...script: ((socket: Served) => void)[]) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const tokens: (string | null)[] = []
  server.on('connection', (socket, request) => {
    tokens.push(new URL(request.url!, 'ws://x').searchParams.get('token'))
    script[tokens.length - 1]?.(socket)
  })
  endings.push(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/terminal`, tokens }
}

function open(url: string, more: Partial<LinkOptions> = {}) {
  const states: string[] = []
  let seen = ''
  let asked = 0
  const onViewers = vi.fn<LinkOptions['onViewers']>()
  const onRefused = vi.fn<LinkOptions['onRefused']>()
  const link = openLink({
    ask: async () => ({ url, token: `token ${(asked += 1)}` }),
    refusalIn: () => undefined,
    onState: (state) => states.push(state.name === 'ended' ? `ended: ${state.reason}` : state.name),
    onReady: () => (seen = ''),
    onViewers,
    onRefused,
    onBytes: (bytes) => (seen += new TextDecoder().decode(bytes)),
    firstWords: () => [{ type: 'resize', cols: 100, rows: 30 }],
    pauseMs: () => 5,
    ...more,
  })
  endings.push(link.close)
  return { link, states, seen: () => seen, asked: () => asked, onViewers, onRefused }
}

it('says its size first, shows what comes, and passes on what is typed', async () => {
  const heard: string[] = []
  const { url } = await serve((socket) => {
    socket.on('message', (data: Buffer, isBinary) =>
      heard.push(isBinary ? `typed ${data.toString()}` : data.toString()),
    )
    told(socket, ready)
    socket.send(Buffer.from('$ '))
    told(socket, { type: 'viewers', viewers: 2, cols: 80, rows: 20 })
    told(socket, { type: 'refused', bytes: 70_000, reason: 'The program does not read' })
  })
  const { link, states, seen, onViewers, onRefused } = open(url)
  await vi.waitUntil(() => seen() === '$ ' && onViewers.mock.calls.length === 1)
  link.send(new TextEncoder().encode('ls'))
  link.tell({ type: 'ack', bytes: 2 })
  await vi.waitUntil(() => heard.length === 3)
  expect(heard).toEqual(['{"type":"resize","cols":100,"rows":30}', 'typed ls', '{"type":"ack","bytes":2}'])
  expect(states).toEqual(['live'])
  expect(onRefused).toHaveBeenCalledWith(70_000)
})

it('comes back with a new token when the socket dies, and begins the window from nothing', async () => {
  const { url, tokens } = await serve(
    (socket) => {
      told(socket, ready)
      socket.send(Buffer.from('before'))
      setTimeout(() => socket.terminate(), 20)
    },
    (socket) => socket.terminate(),
    (socket) => {
      told(socket, ready)
      socket.send(Buffer.from('after'))
    },
  )
  const { seen, states } = open(url)
  await vi.waitUntil(() => seen() === 'after')
  expect(tokens).toEqual(['token 1', 'token 2', 'token 3'])
  expect(states).toEqual(['live', 'lost', 'lost', 'live'])
})

it('does not wait for ever for one that opens and says nothing', async () => {
  const { url } = await serve(
    () => {},
    (socket) => told(socket, ready),
  )
  const { states } = open(url, { patienceMs: 50 })
  await vi.waitUntil(() => states.at(-1) === 'live')
  expect(states).toEqual(['lost', 'live'])
})

it('stays away from what has ended until somebody wants it again', async () => {
  const { url, tokens } = await serve(
    (socket) => {
      told(socket, ready)
      told(socket, { type: 'ended', reason: 'The shell has ended', canReturn: true })
      socket.close()
    },
    (socket) => told(socket, ready),
  )
  const { link, states } = open(url)
  await vi.waitUntil(() => states.length === 2)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(states).toEqual(['live', 'ended: The shell has ended'])
  expect(link.isLive()).toBe(false)
  link.again()
  await vi.waitUntil(() => states.at(-1) === 'live')
  expect(tokens.length).toBe(2)
})

it('ends where asking again would be answered the same, and tries again where it might not', async () => {
  const { url, tokens } = await serve((socket) => told(socket, ready))
  const answers = ['unreachable', 'unreachable', 'gone']
  let asked = 0
  const { states } = open(url, {
    ask: () => Promise.reject(new Error(answers[asked++])),
    refusalIn: (error) =>
      (error as Error).message === 'gone' ? { reason: 'It is gone', canReturn: false } : undefined,
  })
  await vi.waitUntil(() => states.at(-1) === 'ended: It is gone')
  expect(states).toEqual(['lost', 'lost', 'ended: It is gone'])
  expect(tokens).toEqual([])
})

it('opens nothing more once it was closed, also while a token is on its way', async () => {
  const { url, tokens } = await serve((socket) => told(socket, ready))
  let give: (token: { url: string; token: string }) => void = () => {}
  const { link, states } = open(url, { ask: () => new Promise((resolve) => (give = resolve)) })
  link.close()
  give({ url, token: 'late' })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect([tokens, states]).toEqual([[], []])
})
