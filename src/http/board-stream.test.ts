import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { openListener } from '#db/listen.ts'
import { owner } from '#domain/access.ts'
import { openStreams } from '#events/streams.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { boardStreamRoutes } from './board-stream.ts'
import { newRoom } from './room.ts'

const silent = pino({ level: 'silent' })

async function serve() {
  const pool = await freshPool()
  const listener = openListener(pool.url, silent)
  const streams = openStreams(pool.db, listener, silent)
  const app = newRoom()
  app.use(async (c, next) => {
    c.set('principal', owner)
    await next()
  })
  app.route('/', boardStreamRoutes({ streams }))
  const server = createAdaptorServer({ fetch: app.fetch }) as Server
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    streams.close()
    server.closeAllConnections()
    server.close()
    await listener.close()
  })
  return { streams, port: (server.address() as AddressInfo).port }
}

test('HEAD opens no stream', async () => {
  const { streams, port } = await serve()
  const { status, headers } = await fetch(`http://127.0.0.1:${port}/sse/board`, { method: 'HEAD' })
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  expect(streams.readers).toBe(0)
})

test('those who hang up, however early, are not kept', async () => {
  const { streams, port } = await serve()
  for (let n = 0; n < 60; n++) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write('GET /sse/board HTTP/1.1\r\nhost: x\r\n\r\n')
    if (n % 3 === 1) await new Promise((resolve) => setImmediate(resolve))
    if (n % 3 === 2) await once(socket, 'data')
    socket.destroy()
  }
  const reader = await fetch(`http://127.0.0.1:${port}/sse/board`)
  await expect.poll(() => streams.readers).toBe(1)
  await reader.body?.cancel()
  await expect.poll(() => streams.readers).toBe(0)
})
