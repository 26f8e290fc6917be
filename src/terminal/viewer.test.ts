import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { pino } from 'pino'
import { WebSocket, WebSocketServer } from 'ws'
import { expect, it, onTestFinished } from 'vitest'
import type { FoundWindow } from '#contract/internal.ts'
import type { TerminalTold } from '#contract/terminal.ts'
import { Problem } from '#domain/problem.ts'
import type { Reader, Size, Source } from './port.ts'
import { openViewer } from './viewer.ts'
import type { Viewer } from './viewer.ts'
import { openWindows } from './windows.ts'

// Real sockets; what is shown is played.

const grant = {
  machineId: 'here',
  sessionId: '01a1e671-56ab-746f-9bc0-d62fc5607a55',
  window: 'agent' as const,
  readOnly: false,
  tokenId: '01a1e671-56ab-746f-9bc0-d62fc5607a56',
}

interface Stage {
  viewer: Viewer
  client: WebSocket
  told: TerminalTold[]
  bytes: () => number
  reader: () => Reader
  typed: string[]
  sizes: Size[]
  calls: string[]
  serverClosed: Promise<unknown>
  clientClosed: Promise<number>
}

interface Played {
  idleMs?: number
  beatMs?: number
  found?: () => FoundWindow
  takes?: () => boolean
  sayFirst?: boolean
  window?: 'agent' | 'shell'
  gone?: string
}

async function stage({
  idleMs = 60_000,
  beatMs = 60_000,
  found = () => ({ terminal: 't-1', takenOver: true }),
  takes = () => true,
  sayFirst = true,
  window = 'agent',
  gone,
}: Played = {}): Promise<Stage> {
  const http = createServer().listen(0, '127.0.0.1')
  await once(http, 'listening')
  const server = new WebSocketServer({ server: http })
  const arrived = once(server, 'connection')
  const client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`)
  const told: TerminalTold[] = []
  let bytes = 0
  client.on('message', (data: Buffer, isBinary) => {
    if (isBinary) bytes += data.length
    else told.push(JSON.parse(data.toString()))
  })
  await once(client, 'open')
  const [socket] = (await arrived) as [WebSocket]
  const typed: string[] = []
  const sizes: Size[] = []
  const calls: string[] = []
  let reader: Reader | undefined
  const windows = openWindows()
  const viewer = openViewer({
    socket,
    grant: { ...grant, window },
    windows,
    find: async () => found(),
    gone: async () => gone,
    async open(terminal, size, given): Promise<Source> {
      reader = given
      sizes.push(size)
      calls.push(`open ${terminal}`)
      return {
        write(piece) {
          typed.push(piece.toString())
          return takes()
        },
        resize: (now) => void sizes.push(now),
        repaint: () => void calls.push('repaint'),
        pause: () => void calls.push('pause'),
        resume: () => void calls.push('resume'),
        close: () => void calls.push(`close ${terminal}`),
      }
    },
    idleMs,
    beatMs,
    log: pino({ level: 'silent' }),
  })
  const serverClosed = once(socket, 'close')
  const clientClosed = once(client, 'close').then(([code]) => code as number)
  onTestFinished(async () => {
    client.terminate()
    socket.terminate()
    server.close()
    await new Promise((resolve) => http.close(resolve))
  })
  if (sayFirst) client.send(JSON.stringify({ type: 'resize', cols: 90, rows: 20 }))
  const isShown = () =>
    reader !== undefined || told.at(-1)?.type === 'ended' || client.readyState === client.CLOSED
  await expect.poll(isShown, { timeout: 3_000 }).toBe(true)
  return {
    viewer,
    client,
    told,
    bytes: () => bytes,
    reader: () => reader!,
    typed,
    sizes,
    calls,
    serverClosed,
    clientClosed,
  }
}

it('waits for the first size, so that nothing is drawn twice', async () => {
  const { told, sizes } = await stage()
  await expect
    .poll(() => told)
    .toEqual([
      { type: 'ready', window: 'agent', readOnly: false, takenOver: true, viewers: 1, cols: 90, rows: 20 },
    ])
  await expect.poll(() => sizes[0]).toEqual({ cols: 90, rows: 20 })
})

it('goes on without one that never comes', async () => {
  const { told } = await stage({ sayFirst: false })
  await expect.poll(() => told, { timeout: 3_000 }).toMatchObject([{ type: 'ready', cols: 80, rows: 24 }])
})

it('sends no more than is drawn, and goes on once it was', async () => {
  const { client, reader, calls, bytes } = await stage()
  for (let count = 0; count < 10; count += 1) reader().take(Buffer.alloc(64 * 1024))
  await expect.poll(() => calls).toContain('pause')
  await expect.poll(bytes).toBe(640 * 1024)
  client.send(JSON.stringify({ type: 'ack', bytes: 320 * 1024 }))
  client.send(JSON.stringify({ type: 'repaint' }))
  await expect.poll(() => calls).toContain('repaint')
  expect(calls).not.toContain('resume')
  client.send(JSON.stringify({ type: 'ack', bytes: 600 * 1024 }))
  await expect.poll(() => calls).toContain('resume')
})

it('reads no more than the program does', async () => {
  let isFull = true
  const { client, typed, reader } = await stage({ takes: () => !isFull })
  client.send(Buffer.from('one'))
  await expect.poll(() => typed).toEqual(['one'])
  client.send(Buffer.from('two'))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(typed).toEqual(['one'])
  isFull = false
  reader().drained()
  await expect.poll(() => typed).toEqual(['one', 'two'])
})

it('reads no more than the program does, also while it looks whether the window has become something else', async () => {
  let isFull = true
  let now: FoundWindow = { terminal: 't-1', takenOver: true }
  const { client, typed, viewer } = await stage({ takes: () => !isFull, found: () => now })
  client.send(Buffer.from('one'))
  await expect.poll(() => typed).toEqual(['one'])
  await viewer.look()
  client.send(Buffer.from('two'))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(typed).toEqual(['one'])
  // Another one is not full.
  isFull = false
  now = { terminal: 't-2', takenOver: true }
  await viewer.look()
  await expect.poll(() => typed).toEqual(['one', 'two'])
})

it('lets go of somebody who is there no more although the connection is', async () => {
  const { client, serverClosed, calls } = await stage({ beatMs: 100 })
  const { _socket: wire } = client as unknown as { _socket: Socket }
  await new Promise((resolve) => setTimeout(resolve, 350))
  expect(calls).toEqual(['open t-1']) // whoever answers stays
  wire.pause()
  await serverClosed
  expect(calls).toContain('close t-1')
})

it('lets go of what nobody uses', async () => {
  const { told, serverClosed, client } = await stage({ beatMs: 50, idleMs: 400 })
  const typing = setInterval(() => client.send(Buffer.from('x')), 100)
  await new Promise((resolve) => setTimeout(resolve, 700))
  expect(told).toHaveLength(1)
  clearInterval(typing)
  await serverClosed
  expect(told.at(-1)).toMatchObject({ type: 'ended', canReturn: true })
})

it('shows what a window has become, on the same socket', async () => {
  let now: FoundWindow = { terminal: null, takenOver: false }
  const { viewer, told, calls, typed, client } = await stage({ found: () => now })
  expect(told[0]).toMatchObject({ type: 'ready', readOnly: true, takenOver: false })
  await viewer.look()
  expect(told).toHaveLength(1) // nothing new
  now = { terminal: 't-2', takenOver: true }
  await viewer.look()
  await expect.poll(() => told.at(-1)).toMatchObject({ type: 'ready', readOnly: false, takenOver: true })
  client.send(Buffer.from('hello'))
  await expect.poll(() => typed).toEqual(['hello'])
  expect(calls).toEqual(['open null', 'close null', 'open t-2'])
})

it('shows the log when the terminal of an agent has ended, and says so when a shell has', async () => {
  const agent = await stage()
  agent.reader().ended()
  await expect.poll(() => agent.told.at(-1)).toMatchObject({ type: 'ready', readOnly: true })
  expect(agent.calls).toEqual(['open t-1', 'close t-1', 'open null'])
  const shell = await stage({ window: 'shell' })
  shell.reader().take(Buffer.from('logout'))
  shell.reader().ended()
  await shell.serverClosed
  expect(shell.bytes()).toBe(6)
  expect(shell.told.at(-1)).toEqual({ type: 'ended', reason: 'The shell has ended', canReturn: true })
  const trashed = await stage({ window: 'shell', gone: 'It is in the trash' })
  trashed.reader().ended()
  await trashed.serverClosed
  expect(trashed.told.at(-1)).toEqual({ type: 'ended', reason: 'It is in the trash', canReturn: false })
})

it('shows a terminal of the same name again once there was none', async () => {
  let now: FoundWindow = { terminal: 't-1', takenOver: true }
  const { viewer, reader, told, calls } = await stage({ found: () => now })
  reader().ended()
  await expect.poll(() => told.at(-1)).toMatchObject({ type: 'ready', readOnly: true })
  now = { terminal: null, takenOver: false }
  await viewer.look()
  now = { terminal: 't-1', takenOver: true }
  await viewer.look()
  await expect.poll(() => told.at(-1)).toMatchObject({ type: 'ready', readOnly: false, takenOver: true })
  expect(calls.at(-1)).toBe('open t-1')
})

it('sends the last of one thing before it shows another', async () => {
  let now: FoundWindow = { terminal: 't-1', takenOver: true }
  const { viewer, reader, client } = await stage({ found: () => now })
  const heard: string[] = []
  client.on('message', (data: Buffer, isBinary) => heard.push(isBinary ? data.toString() : 'told'))
  reader().take(Buffer.from('first'))
  await expect.poll(() => heard).toEqual(['first'])
  reader().take(Buffer.from('a little'))
  reader().take(Buffer.from(' more'))
  now = { terminal: 't-2', takenOver: true }
  await viewer.look()
  await expect.poll(() => heard).toEqual(['first', 'a little more', 'told'])
})

it('goes on while the database is away, and lets those come back who have seen nothing yet', async () => {
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  let isAway = false
  const found = () => {
    if (isAway) throw away
    return { terminal: 't-1', takenOver: true }
  }
  const { viewer, client, told, typed } = await stage({ found })
  isAway = true
  await viewer.look()
  client.send(Buffer.from('hello'))
  await expect.poll(() => typed).toEqual(['hello'])
  expect(told).toHaveLength(1)
  const late = await stage({ found })
  expect(await late.clientClosed).toBe(1013)
  expect(late.told).toEqual([])
})

it('says why there is nothing to be shown', async () => {
  const { told, serverClosed } = await stage({
    found: () => {
      throw new Problem('workspace_not_running', 'No engine answers')
    },
  })
  await serverClosed
  expect(told).toEqual([{ type: 'ended', reason: 'No engine answers', canReturn: true }])
})
