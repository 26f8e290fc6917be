import { createServer } from 'node:net'
import type { Server } from 'node:net'
import { once } from 'node:events'
import { expect, inject, it, onTestFinished } from 'vitest'
import { untilReachable } from './outside-database.ts'

const never = new AbortController().signal

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return port
}

it('goes on as soon as the database answers', async () => {
  await expect(untilReachable(inject('postgresUrl'), 1_000, never)).resolves.toBeUndefined()
})

it('waits for one that is not there yet', async () => {
  const url = `postgres://me:hunter2@127.0.0.1:${await closedPort()}/signals`
  const before = Date.now()
  await expect(untilReachable(url, 1_000, never)).rejects.toThrow(
    /127\.0\.0\.1:\d+\/signals\) cannot be used: .*ECONNREFUSED/,
  )
  expect(Date.now() - before).toBeGreaterThanOrEqual(1_000)
  await expect(untilReachable(url, 1, never)).rejects.not.toThrow('hunter2')
})

it('does not wait for one that refuses us, and keeps the password to itself', async () => {
  const url = inject('postgresUrl').replace(/:[^:@/]+@/, ':hunter2@')
  const before = Date.now()
  const refused = await untilReachable(url, 20_000, never).catch((error: Error) => error.message)
  expect(refused).toContain('password authentication failed')
  expect(refused).not.toContain('hunter2')
  expect(Date.now() - before).toBeLessThan(5_000)
})

it('stops waiting when it is told to', async () => {
  const giveUp = new AbortController()
  const waiting = untilReachable(`postgres://me@127.0.0.1:${await closedPort()}/x`, 60_000, giveUp.signal)
  giveUp.abort()
  await expect(waiting).rejects.toThrow('aborted')
})

it('cuts the password out of what a driver says', async () => {
  // A server that quotes the password in its greeting: whatever the reason, it never shows.
  const server = createServer((socket) => {
    const said = Buffer.from('SFATAL\0C28P01\0Mpassword h\u00e9llo is wrong\0\0')
    const head = Buffer.alloc(5)
    head.write('E')
    head.writeInt32BE(said.length + 4, 1)
    socket.once('data', () => socket.end(Buffer.concat([head, said])))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const port = portOf(server)
  const url = `postgres://me:${encodeURIComponent('héllo')}@127.0.0.1:${port}/x?sslmode=disable`
  await expect(untilReachable(url, 1, never)).rejects.toThrow('password … is wrong')
})
