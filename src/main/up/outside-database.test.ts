import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  const forEver = 600_000
  const refused = await untilReachable(url, forEver, never).catch((error: Error) => error.message)
  expect(refused).toContain('password authentication failed')
  expect(refused).not.toContain('hunter2')
})

it('stops waiting when it is told to', async () => {
  const giveUp = new AbortController()
  const waiting = untilReachable(`postgres://me@127.0.0.1:${await closedPort()}/x`, 60_000, giveUp.signal)
  giveUp.abort()
  await expect(waiting).rejects.toThrow('aborted')
})

it.each([
  [encodeURIComponent('héllo'), 'héllo'],
  ['100%zz', '100%zz'],
])('cuts the password %s out of what a server says, by socket or by host', async (written, meant) => {
  // A server that quotes the password in its greeting: whatever the reason, it never shows.
  const answer = (socket: Socket) => {
    const said = Buffer.from(`SFATAL\0C28P01\0Mpassword ${meant} is wrong\0\0`)
    const head = Buffer.alloc(5)
    head.write('E')
    head.writeInt32BE(said.length + 4, 1)
    socket.once('data', () => socket.end(Buffer.concat([head, said])))
  }
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-socket-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const byHost = createServer(answer).listen(0, '127.0.0.1')
  const bySocket = createServer(answer).listen(join(folder, '.s.PGSQL.5432'))
  onTestFinished(() => void [byHost, bySocket].map((server) => server.close()))
  await Promise.all([byHost, bySocket].map((server) => once(server, 'listening')))
  for (const place of [`127.0.0.1:${portOf(byHost)}/x?`, `/x?host=${folder}&port=5432&`])
    await expect(
      untilReachable(`postgres://me:${written}@${place}sslmode=disable`, 1, never),
    ).rejects.toThrow(/\/x\) cannot be used: password … is wrong$/)
})
