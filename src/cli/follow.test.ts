import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { follow } from './follow.ts'

/** A real server whose every connection is answered by the next handler of the script, and the last ones by the last. */
async function serve(...script: ((answer: ServerResponse) => void)[]) {
  const asked: (string | undefined)[] = []
  const server = createServer((request, answer) => {
    asked.push(request.headers['last-event-id'] as string | undefined)
    script[Math.min(asked.length, script.length) - 1]?.(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { connection: { url, token: 't', tokenSource: 'the test' }, asked }
}

const stream = (answer: ServerResponse) => answer.writeHead(200, { 'content-type': 'text/event-stream' })
const log = (id: number) => `event: log\nid: ${id}\ndata: "${id}"\n\n`
const status = 'event: status\ndata: {"status":"running"}\n\n'
const done = 'event: done\ndata: {}\n\n'

function collect() {
  const seen: string[] = []
  const onLost = vi.fn<() => void>()
  const take = ({ event, data }: { event: string; data: string }) => {
    if (event === 'log') seen.push(data)
    return event === 'done'
  }
  return { seen, onLost, take, pauseMs: () => 1 }
}

it('resumes after the last event it saw, and ends with done', async () => {
  const { connection, asked } = await serve(
    (answer) => stream(answer).end(status + log(4) + log(5)),
    (answer) => stream(answer).end(status),
    (answer) => stream(answer).write(status + log(6) + done),
  )
  const follower = collect()
  await follow(connection, '/x', follower)
  expect(follower.seen).toEqual(['"4"', '"5"', '"6"'])
  expect(asked).toEqual([undefined, '5', '5'])
  expect(follower.onLost).not.toHaveBeenCalled()
})

it('waits for a server that is away, and says so once', async () => {
  const away = (answer: ServerResponse) => answer.destroy()
  const busy = (answer: ServerResponse) => void answer.writeHead(503).end('{}')
  const { connection, asked } = await serve(
    (answer) => stream(answer).end(log(1)),
    away,
    busy,
    away,
    (answer) => stream(answer).write(log(2) + done),
  )
  const follower = collect()
  await follow(connection, '/x', follower)
  expect(follower.seen).toEqual(['"1"', '"2"'])
  expect(asked).toEqual([undefined, '1', '1', '1', '1'])
  expect(follower.onLost).toHaveBeenCalledTimes(1)
})

it('gives up at once on what cannot heal', async () => {
  const error = { code: 'execution_not_found', message: 'No such execution', requestId: 'r' }
  const { connection, asked } = await serve(
    (answer) => void answer.writeHead(404).end(JSON.stringify({ error })),
  )
  await expect(follow(connection, '/x', collect())).rejects.toMatchObject({
    message: 'No such execution',
    refusal: error,
  })
  expect(asked.length).toBe(1)
})

it('stops when told to, in the middle of a stream and in the middle of a pause', async () => {
  const leave = new AbortController()
  const { connection } = await serve((answer) => stream(answer).write(log(1)))
  const follower = collect()
  const take = (frame: { event: string; data: string }) => {
    leave.abort()
    return follower.take(frame)
  }
  await follow(connection, '/x', { ...follower, take, signal: leave.signal })
  expect(follower.seen).toEqual(['"1"'])

  const away = await serve((answer) => answer.destroy())
  const tired = new AbortController()
  await follow(away.connection, '/x', {
    ...collect(),
    pauseMs: () => 3_600_000,
    onLost: () => void setImmediate(() => tired.abort()),
    signal: tired.signal,
  })
  expect(away.asked.length).toBe(1)
})
