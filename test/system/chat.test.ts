import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StreamEvent } from '#contract/event.ts'
import { untilEnded } from '../support/commands.ts'
import { keys, openChatRoom } from '../support/chat/room.ts'
import type { ChatAgent, ChatRoom } from '../support/chat/room.ts'
import { killChild } from '../support/kill-child.ts'

let room: ChatRoom
let asking: ChatAgent
let free: ChatAgent

beforeAll(async () => {
  room = await openChatRoom()
  asking = await room.agent({ permissionPolicy: 'ask' })
  free = await room.agent({ permissionPolicy: 'all' })
}, 120_000)
afterAll(() => room?.close())

const five = [
  ['book', 'a'],
  ['book', 'b'],
  ['fail', 'c'],
  ['book', 'd'],
  ['book', 'e'],
] as const
const callsOf = (word: string) =>
  JSON.stringify(five.map(([tool, key]) => [`desk__${tool}`, { key: `${word}-${key}` }]))

describe('a chat with a model', () => {
  test.each([
    ['anthropic/claude-sonnet-4-5', 'anthropic', keys.anthropic],
    ['openai/gpt-5-mini', 'responses', `Bearer ${keys.openai}`],
    ['google/gemini-2.5-flash', 'gemini', keys.google],
    ['compatible/a-model', 'chat-completions', `Bearer ${keys.compatible}`],
  ])('%s is talked to: words, a thought, a tool, and what was said before', async (name, dialect, key) => {
    const sessionId = await room.open(free, name)
    const first = `first-${dialect}`
    const one = await room.turn(free, sessionId, `${first} [[think:Hm.]] [[text:Hello to you.]]`)
    expect([one.status, one.error]).toEqual(['succeeded', null])
    expect(await room.answer(sessionId)).toBe('Hello to you.')
    const two = `second-${dialect}`
    await room.turn(free, sessionId, `${two} [[call:desk__look {"key":"${dialect}"}]] [[text:There it is.]]`)
    expect(await room.answer(sessionId)).toContain('There it is.')
    const [asked, again] = room.requests(two)
    expect(again).toMatchObject({ dialect, model: name.split('/')[1] })
    expect(asked?.heard.join()).toContain(first)
    expect(JSON.stringify(asked?.body)).toContain('Hello to you.')
    expect(again?.results.join()).toContain(`look: ${dialect} is done`)
    expect([...room.model.keys]).toContain(key)
    const events = await room.events(sessionId)
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['reasoning-delta', 'data-usage']))
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1))
  })

  test('what was said is remembered by a worker that has just been started', async () => {
    const sessionId = await room.open(free)
    await room.turn(free, sessionId, 'remember-this: 7 [[text:Seven.]]')
    await killChild(room.box, 'worker')
    await room.turn(free, sessionId, 'what-was-it [[text:As I said.]]')
    const [asked] = room.requests('what-was-it')
    expect(asked?.heard.join()).toContain('remember-this: 7')
    expect(JSON.stringify(asked?.body)).toContain('Seven.')
  })

  test('a turn that is cut off in the middle of a word is asked again, and said once', async () => {
    const sessionId = await room.open(free)
    const id = await room.say(free, sessionId, 'count [[slow:30]]')
    await expect.poll(async () => (await deltasIn(sessionId)).length, { timeout: 20_000 }).toBeGreaterThan(3)
    await killChild(room.box, 'worker')
    expect(await untilEnded(room.box, id, 40_000)).toMatchObject({ status: 'succeeded', error: null })
    const counted = Array.from({ length: 30 }, (_, at) => `${at + 1} `).join('')
    expect(await room.answer(sessionId)).toBe(counted)
    expect(room.requests('count [[slow:30]]')).toHaveLength(2)
  })

  test('a worker that has just been started waits for its tools before it asks the model', async () => {
    const sessionId = await room.open(free)
    const prompt = 'soon [[status:429 1 60]] [[call:desk__look {"key":"soon"}]] [[text:There it is.]]'
    const id = await room.say(free, sessionId, prompt)
    await expect.poll(() => room.requests('soon [[').length, { timeout: 20_000 }).toBe(1)
    await killChild(room.box, 'worker')
    const ended = await untilEnded(room.box, id, 40_000)
    expect([ended.status, ended.error, room.model.complaints]).toEqual(['succeeded', null, []])
    expect(room.requests('soon [[').at(-1)?.results.join()).toContain('soon is done')
  })
})

describe('the queue of calls', () => {
  test('five calls over the API, two refused, one failing: worker and web are killed between the answers', async () => {
    const sessionId = await room.open(asking)
    const prompt = `api-five [[calls:${callsOf('api')}]] [[call:desk__book {"key":"api-follow-up"}]] [[text:All told.]]`
    const id = await room.say(asking, sessionId, prompt)
    const asked = await room.asked(sessionId, 5)
    expect(asked.map(({ input }) => input)).toEqual(five.map(([, key]) => ({ key: `api-${key}` })))
    expect(asked.map(({ position, total }) => [position, total])).toEqual([1, 2, 3, 4, 5].map((n) => [n, 5]))
    const victims = ['worker', 'web', 'worker', 'web', undefined] as const
    for (const [at, approval] of asked.entries()) {
      const decision = at === 1 || at === 3 ? 'refused' : 'granted'
      await answer(approval.id, { decision, ...(decision === 'refused' && { reason: 'Not that one' }) })
      const victim = victims[at]
      if (!victim) continue
      // One that is killed in the middle of a call does not know what came of it: that is another test.
      if (decision === 'granted') await untilSettled(sessionId, approval.toolCallId)
      await killChild(room.box, victim)
    }
    const [followUp] = await room.asked(sessionId, 1)
    expect(followUp).toMatchObject({ input: { key: 'api-follow-up' } })
    await answer(followUp!.id, { decision: 'granted' })
    const ended = await untilEnded(room.box, id, 40_000)
    expect([ended.status, ended.error]).toEqual(['succeeded', null])
    expect(await room.answer(sessionId)).toContain('All told.')
    const done = room.done().filter((line) => line.includes('api-'))
    expect(done.toSorted()).toEqual(['book api-a', 'book api-e', 'book api-follow-up', 'fail api-c'])
    const [, together, last] = room.requests('api-five')
    expect(room.requests('api-five')).toHaveLength(3)
    expect(together?.results).toHaveLength(5)
    const [a, b, c, d, e] = together!.results
    expect(a).toContain('api-a is done')
    expect(b).toContain('Not that one')
    expect(c).toContain('closed for api-c')
    expect(d).toContain('Not that one')
    expect(e).toContain('api-e is done')
    expect(last?.results).toHaveLength(6)
  })

  test('all at once from the inbox, in any order', async () => {
    const sessionId = await room.open(asking)
    const id = await room.say(asking, sessionId, `all-five [[calls:${callsOf('all')}]] [[text:All told.]]`)
    const asked = await room.asked(sessionId, 5)
    await Promise.all(asked.toReversed().map((one) => answer(one.id, { decision: 'granted' })))
    expect((await untilEnded(room.box, id, 40_000)).status).toBe('succeeded')
    const keysOf = (texts: string[]) => texts.map((text) => /all-[a-e]/.exec(text)?.[0])
    const inOrder = five.map(([, key]) => `all-${key}`)
    expect(keysOf(room.requests('all-five')[1]!.results)).toEqual(inOrder)
    expect(room.done().filter((line) => line.includes('all-'))).toHaveLength(5)
  })
})

test('no key is told to anybody: not in events, answers, or logs', async () => {
  room.model.refusedKeys.add(keys.anthropic)
  const sessionId = await room.open(free)
  const { status, error } = await room.turn(free, sessionId, 'refused-key [[text:Never.]]')
  room.model.refusedKeys.clear()
  expect([status, error]).toEqual(['failed', expect.stringContaining('does not accept the key')])
  const { body: sessions } = await room.box.call('GET', '/sessions?pageSize=500')
  const told = [room.box.log(), JSON.stringify(sessions)]
  for (const { id } of sessions.data) told.push(JSON.stringify(await room.events(id)))
  for (const path of ['/settings', '/agents', '/models/check', '/models/available', '/executions', '/audit'])
    told.push(JSON.stringify((await room.box.call('GET', path)).body))
  const logs = join(room.box.home, 'logs')
  for (const file of readdirSync(logs, { recursive: true, withFileTypes: true }))
    if (file.isFile()) told.push(readFileSync(join(file.parentPath, file.name), 'utf8'))
  for (const text of told) expect(text).not.toContain('nobody-may-read-this')
})

const deltasIn = async (sessionId: string) =>
  (await room.events(sessionId)).filter(({ type }) => type === 'text-delta')

/** Web may be away. */
async function untilSettled(sessionId: string, toolCallId: string | null): Promise<void> {
  const isSettled = async () => {
    const events = await room.events(sessionId).catch(() => [])
    return events.some((event) => isOutcomeOf(event, toolCallId))
  }
  await expect.poll(isSettled, { timeout: 20_000 }).toBe(true)
}

const isOutcomeOf = ({ type, payload }: StreamEvent, toolCallId: string | null): boolean =>
  type.startsWith('tool-output-') && (payload as { toolCallId?: unknown }).toolCallId === toolCallId

/** Web may just have been killed: whoever answers tries again, and may hear that it has been answered. */
async function answer(id: string, given: object): Promise<void> {
  const attempt = () => room.box.call('POST', `/approvals/${id}`, given).catch(() => undefined)
  await expect.poll(async () => (await attempt())?.status, { timeout: 20_000 }).toSatisfy(isAnswered)
}

const isAnswered = (status: unknown): boolean => status === 200 || status === 409
