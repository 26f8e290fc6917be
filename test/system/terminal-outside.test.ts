import { once } from 'node:events'
import { connect as connectTcp, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { registerShell } from '../support/shell-agent.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'
import { askToken, sitDown } from '../support/terminal.ts'

// A Signalbox for others, behind a proxy: all of it goes through web, and nothing but web can be reached from elsewhere.

let box: Signalbox
let sessionId: string
beforeAll(async () => {
  const PORT = String(await freePort())
  const PUBLIC_URL = `http://localhost:${PORT}`
  box = await startSignalbox({
    env: { SHELL: '/bin/sh', HOST: '0.0.0.0', PORT, PUBLIC_URL, TRUST_PROXY: 'true' },
  })
  sessionId = (await (await registerShell(box)).run('true')).sessionId
}, 90_000)
afterAll(async () => {
  await box?.stop()
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Whether somebody answers at an address of this machine that is no other's loopback: one of a listener on all addresses, too. */
async function isOpen(port: string, host: string): Promise<boolean> {
  const socket = connectTcp({ port: Number(port), host })
  const event = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return event
}

it('listens for web alone, which lets people through', async () => {
  const { url } = await askToken(box, { sessionId, window: 'shell' })
  const terminal = new URL(url).port
  const web = new URL(box.url).port
  expect(await isOpen(web, '127.0.0.2')).toBe(true)
  expect(await isOpen(terminal, '127.0.0.1')).toBe(true)
  expect(await isOpen(terminal, '127.0.0.2')).toBe(false)

  const through = await askToken(box, { sessionId, window: 'shell' })
  const socket = new WebSocket(`ws://localhost:${web}/terminal?token=${through.token}`)
  const [first] = await once(socket, 'message')
  expect(JSON.parse(String(first))).toMatchObject({ type: 'ready', window: 'shell' })
  socket.terminate()
  const here = await sitDown(box, { sessionId, window: 'shell' })
  await here.leave()
})
