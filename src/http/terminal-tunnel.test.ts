import { once } from 'node:events'
import { createServer as createWeb } from 'node:http'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openTerminalTunnel } from './terminal-tunnel.ts'

const machineId = 'here'
const asked =
  'GET /terminal?token=a.b.c HTTP/1.1\r\nHost: box.example.com\r\nX-Odd: One\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A web with a tunnel to a terminal that does this; and somebody who comes to it. */
async function stage(serve: ((socket: Socket) => void) | 'away' | 'unknown') {
  const there = createServer((socket) => void (typeof serve === 'function' && serve(socket)))
  const port = await listening(there)
  if (serve === 'away') await new Promise((resolve) => there.close(resolve))
  const places = serve === 'unknown' ? [] : [{ machineId, port, url: null }]
  const tunnel = openTerminalTunnel({
    terminals: { current: () => [{ machineId: 'elsewhere', port: 1, url: null }, ...places] },
    settings: { current: () => ({ host: '0.0.0.0' }) },
    machineId,
  })
  const web = createWeb()
  web.on('upgrade', (request, socket, head) => tunnel.upgrade(request, socket, head))
  const client = connect({ port: await listening(web), host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(async () => {
    client.destroy()
    there.close()
    await new Promise((resolve) => web.close(resolve))
  })
  const open = (server: Server) =>
    new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
  return { client, open: async () => (await open(web)) + (there.listening ? await open(there) : 0) }
}

async function all(client: Socket): Promise<string> {
  let heard = ''
  client.on('data', (piece) => (heard += piece.toString('latin1')))
  await once(client, 'end')
  return heard
}

it('passes on what was asked byte for byte, and what follows both ways', async () => {
  const { client, open } = await stage((socket) => socket.on('data', (piece) => socket.write(piece)))
  let heard = ''
  client.on('data', (piece) => (heard += piece.toString()))
  client.write(`${asked}first`)
  await expect.poll(() => heard).toBe(`${asked}first`)
  client.write(' and more')
  await expect.poll(() => heard).toBe(`${asked}first and more`)
  client.end()
  await expect.poll(open, { timeout: 3_000 }).toBe(0)
})

it('brings everything that was said before the end, and lets go of somebody who stays', async () => {
  const much = Buffer.alloc(4 * 1024 * 1024, 'x')
  const { client, open } = await stage((socket) => socket.resume().end(much))
  client.write(asked)
  expect((await all(client)).length).toBe(much.length)
  await expect.poll(open, { timeout: 3_000 }).toBe(0)
})

it.each(['away', 'unknown'] as const)('says so when the terminal is %s', async (serve) => {
  const { client, open } = await stage(serve)
  client.write(asked)
  expect(await all(client)).toMatch(/^HTTP\/1\.1 503 [^]*No terminal serves/)
  await expect.poll(open, { timeout: 3_000 }).toBe(0)
})
