import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { lastWords } from './last-words.ts'

const asked = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
const words = 'HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\nNo.'

async function stage() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.on('upgrade', (_, socket) => lastWords(socket, words))
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(async () => {
    client.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  let heard = ''
  client.on('data', (piece) => (heard += piece.toString()))
  const open = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))
  return { client, heard: () => heard, open }
}

it('lets go of somebody who has heard them and never leaves', async () => {
  const { client, heard, open } = await stage()
  client.write(asked)
  await expect.poll(heard).toBe(words)
  await expect.poll(open, { timeout: 3_000 }).toBe(0)
})

it('lets go of somebody who left and had sent what nobody reads', async () => {
  const { client, heard, open } = await stage()
  client.write(`${asked}more`)
  await expect.poll(heard).toBe(words)
  client.end('and more')
  await expect.poll(open, { timeout: 3_000 }).toBe(0)
})
