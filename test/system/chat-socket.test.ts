import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChatRoom } from '../support/chat/room.ts'
import type { ChatAgent, ChatRoom } from '../support/chat/room.ts'
import { connect } from '../support/gateway.ts'
import type { Client } from '../support/gateway.ts'
import { killChild } from '../support/kill-child.ts'

let room: ChatRoom
let asking: ChatAgent

beforeAll(async () => {
  room = await openChatRoom({ GOOGLE_GENERATIVE_AI_API_KEY: '' })
  asking = await room.agent({ permissionPolicy: 'ask' })
}, 120_000)
afterAll(() => room?.close())

/** A client that comes back by itself, and says then what it has seen. */
function join(sessionId: string): Client {
  const client = connect(room.box.url, {}, { reconnection: true, reconnectionDelay: 100, auth })
  function auth(give: (said: object) => void): void {
    give({ token: room.box.token, sessionId, after: client.heard.at(-1)?.body.seq ?? 0 })
  }
  return client
}

/** Web may be killed in the middle of it: whoever answers says it again, and may hear that it has been answered. */
async function answer(client: Client, callId: string, approved: boolean): Promise<void> {
  const given = { callId, approved, ...(!approved && { reason: 'Not that one' }) }
  const attempt = () => client.socket.timeout(2_000).emitWithAck('tool:approval', given)
  await expect.poll(() => attempt().catch(() => undefined), { timeout: 20_000 }).toBeDefined()
}

test('five calls over a socket, asked one by one: two refused, one failing, worker and web killed between the answers', async () => {
  const sessionId = await room.open(asking)
  const client = join(sessionId)
  await client.next('system:ready')
  const keys = ['a', 'b', 'c', 'd', 'e'].map((key) => `socket-${key}`)
  const calls = keys.map((key) => [key === 'socket-c' ? 'desk__fail' : 'desk__book', { key }] as const)
  const text = `socket-five [[calls:${JSON.stringify(calls)}]] [[call:desk__book {"key":"socket-more"}]] [[text:All told.]]`
  expect(await client.say('message', { text })).toEqual({ executionId: expect.any(String) })

  const asked: object[] = []
  // Each counts once: whoever says an answer again hears that there is one.
  const settled = () =>
    new Set([...client.named('tool:output'), ...client.named('agent:error')].map(({ body }) => body.callId))
      .size
  const victims = ['worker', 'web', 'worker', 'web', undefined, undefined] as const
  for (const [at, victim] of victims.entries()) {
    const callId = await nextAsked(client, at)
    const { name, args, queuePosition, totalInQueue } = client.named('tool:approval_required').at(-1)!.body
    asked.push([String(name).replace('__', '.'), args.key, queuePosition, totalInQueue])
    await answer(client, callId, at !== 1 && at !== 3)
    await expect.poll(settled, { timeout: 20_000 }).toBe(at + 1)
    if (victim) await killChild(room.box, victim)
  }
  await client.next('agent:done')
  expect(asked).toEqual([
    ...keys.map((key, at) => [at === 2 ? 'desk.fail' : 'desk.book', key, at + 1, 5]),
    ['desk.book', 'socket-more', 1, 1],
  ])
  expect(client.named('agent:message').at(-1)?.body.text).toBe('All told.')
  expect(client.named('tool:output').map(({ body }) => body.output)).toEqual(
    ['a', 'e', 'more'].map((key) => expect.stringContaining(`socket-${key} is done`)),
  )
  const done = room.done().filter((line) => line.includes('socket-'))
  expect(done.toSorted()).toEqual(['book socket-a', 'book socket-e', 'book socket-more', 'fail socket-c'])
  const { results } = room.requests('socket-five')[1]!
  expect(results).toHaveLength(5)
  expect(results[1]).toContain('Not that one')
  expect(results[2]).toContain('closed for socket-c')
  const told = client.heard.map(({ body }) => body.seq as number)
  expect(told).toEqual(told.toSorted((one, other) => one - other))
  const twice = client.heard.filter(({ name }) => name === 'tool:output' || name === 'agent:message')
  expect(new Set(twice.map(({ body }) => body.seq)).size).toBe(twice.length)
})

test('an answer to a call that nobody knows is an error, and nothing else', async () => {
  const client = join(await room.open(asking))
  await client.next('system:ready')
  await client.say('tool:approval', { callId: crypto.randomUUID(), approved: true })
  expect(await client.next('agent:error')).toMatchObject({ message: expect.any(String) })
  await client.say('message', { text: 'unknown-call [[text:Still here.]]' })
  expect(await client.next('agent:message')).toMatchObject({ text: 'Still here.' })
})

test('a model without a key: the client is told which variable is missing, and cut off', async () => {
  const client = connect(room.box.url, { token: room.box.token }, { query: { model: 'google' } })
  expect(await client.next('error')).toMatchObject({
    message: expect.stringContaining('GOOGLE_GENERATIVE_AI_API_KEY'),
  })
  expect(await client.cut()).toBe('io server disconnect')
})

test('a model of choice is asked, and its failure is an event; the next message is answered', async () => {
  const { token } = room.box
  const client = connect(room.box.url, { token }, { query: { model: 'openai/gpt-5-mini' } })
  expect(await client.next('system:ready')).toMatchObject({ provider: 'openai', model: 'gpt-5-mini' })
  await client.say('message', { text: 'socket-refused [[status:400]]' })
  expect(await client.next('agent:error')).toMatchObject({ message: expect.stringContaining('(400)') })
  await client.say('message', { text: 'socket-then [[text:Fine again.]]' })
  expect(await client.next('agent:message')).toMatchObject({ text: 'Fine again.' })
  expect(room.requests('socket-then')).toMatchObject([{ dialect: 'responses', model: 'gpt-5-mini' }])
})

/** What is asked now, and was not before. */
async function nextAsked(client: Client, before: number): Promise<string> {
  const ids = () => [
    ...new Set(client.named('tool:approval_required').map(({ body }) => body.callId as string)),
  ]
  await expect.poll(() => ids().length, { timeout: 20_000 }).toBe(before + 1)
  return ids()[before]!
}
