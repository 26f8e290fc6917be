import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { openLive } from './live.ts'
import type { LiveOptions } from './live.ts'

/** A real server whose every connection is answered by the next handler of the script. */
async function serve(...script: ((answer: ServerResponse, request: IncomingMessage) => void)[]) {
  const asked: (string | undefined)[] = []
  const server = createServer((request, answer) => {
    asked.push(request.headers['last-event-id'] as string | undefined)
    const act = script[asked.length - 1] ?? (() => answer.writeHead(503).end())
    act(answer, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  endings.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const endings: (() => void)[] = []
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

function follow(url: string, more: Partial<LiveOptions> = {}) {
  const seen: number[] = []
  const states: string[] = []
  const onGap = vi.fn<() => void>()
  const onRefused = vi.fn<() => void>()
  const live = openLive({
    url,
    headers: () => ({ Authorization: 'Bearer key' }),
    onEvents: (events) => seen.push(...events.map((event) => event.seq)),
    onState: (state) => states.push(state),
    onGap,
    onRefused,
    pauseMs: () => 1,
    ...more,
  })
  endings.push(live.close)
  return { seen, states, onGap, onRefused, live }
}

const ready = (seq: number) => `event: ready\ndata: {"seq":${seq}}\n\n`
const event = (seq: number) => `id: ${seq}\ndata: {"seq":${seq},"type":"task.created"}\n\n`
const open = (answer: ServerResponse) => answer.writeHead(200, { 'Content-Type': 'text/event-stream' })

it('resumes after the last event it saw, not after the one that ready names', async () => {
  const { url, asked } = await serve(
    (answer) => open(answer).end(ready(4) + event(5)),
    (answer) => open(answer).end(ready(9) + event(6)),
    (answer) => open(answer).write(ready(9) + event(7) + event(8) + event(9)),
  )
  const { seen, onGap } = follow(url)
  await vi.waitFor(() => expect(seen).toEqual([5, 6, 7, 8, 9]))
  expect(asked).toEqual([undefined, '5', '6'])
  expect(onGap).toHaveBeenCalledTimes(1)
})

it('tells no event twice, and says when one is missing', async () => {
  const { url } = await serve((answer) =>
    open(answer).write(ready(1) + event(2) + event(2) + event(1) + event(4)),
  )
  const { seen, onGap } = follow(url)
  await vi.waitFor(() => expect(seen).toEqual([2, 4]))
  expect(onGap).toHaveBeenCalledTimes(2)
})

it('starts over when the stream is younger than what it saw', async () => {
  const { url } = await serve(
    (answer) => open(answer).end(ready(40) + event(41)),
    (answer) => open(answer).write(ready(2) + event(3)),
  )
  const { seen, onGap } = follow(url)
  await vi.waitFor(() => expect(seen).toEqual([41, 3]))
  expect(onGap).toHaveBeenCalledTimes(2)
})

it('does not call one cut a lost connection, but two', async () => {
  const { url, asked } = await serve(
    (answer) => open(answer).end(ready(1)),
    (answer) => open(answer).end(ready(1)),
    (answer) => answer.destroy(),
    (answer) => open(answer).write(ready(1)),
  )
  const { states } = follow(url)
  await vi.waitFor(() => expect(asked.length).toBe(4))
  await vi.waitFor(() => expect(states).toEqual(['live', 'live', 'lost', 'live']))
})

it('resumes at once after a cut, and pauses only after a failure', async () => {
  const { url } = await serve(
    (answer) => open(answer).end(ready(1)),
    (answer) => open(answer).write(ready(2) + event(2)),
  )
  const { seen } = follow(url, { pauseMs: () => 3_600_000 })
  await vi.waitFor(() => expect(seen).toEqual([2]))
})

it('takes silence for death, and a comment for life', async () => {
  const beats: NodeJS.Timeout[] = []
  endings.push(() => clearInterval(beats[0]))
  const { url, asked } = await serve(
    (answer) => open(answer).write(ready(1)),
    (answer) => {
      open(answer).write(ready(1))
      beats.push(setInterval(() => answer.write(': beat\n\n'), 20))
    },
  )
  const { states } = follow(url, { silenceMs: 200 })
  await vi.waitFor(() => expect(asked.length).toBe(2), { timeout: 3000 })
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(asked.length).toBe(2)
  expect(states).toEqual(['live', 'live'])
})

it('gives up when the key is refused', async () => {
  const { url, asked } = await serve((answer) => answer.writeHead(401).end())
  const { onRefused } = follow(url)
  await vi.waitFor(() => expect(onRefused).toHaveBeenCalledTimes(1))
  expect(asked.length).toBe(1)
})

it('tries again at once when woken', async () => {
  const { url, asked } = await serve(
    (answer) => answer.writeHead(503).end(),
    (answer) => open(answer).write(ready(1)),
  )
  const { states, live } = follow(url, { pauseMs: () => 3_600_000 })
  await vi.waitFor(() => expect(states).toEqual(['lost']))
  live.wake()
  await vi.waitFor(() => expect(states).toEqual(['lost', 'live']))
  expect(asked.length).toBe(2)
})
