import { expect, test } from 'vitest'
import { BOARD_STREAM } from '#contract/event.ts'
import { lockStream } from '#db/events.ts'
import { asPrincipal } from '#domain/access.ts'
import { connect, openChatRoom, openWeb } from '../../../test/support/gateway.ts'
import type { Client, ChatRoom } from '../../../test/support/gateway.ts'

const patience = { timeout: 20_000, interval: 10 }

/** Everything but who is greeted. */
const told = ({ heard }: Client) => heard.filter(({ name }) => name !== 'system:ready')

/** A session in which a turn is under way, and a client that is there. */
async function begin(room: ChatRoom, url: string) {
  const client = connect(url, { token: room.token })
  const { sessionId } = await client.next('system:ready')
  await client.say('message', { text: 'Begin' })
  return { client, sessionId, turn: await room.turnIn(sessionId) }
}

test('a session is opened with the model that is asked for, and what is said there is the next turn', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const client = connect(web.url, { token: room.token }, { query: { model: 'anthropic/claude-haiku-4-5' } })
  const ready = await client.next('system:ready')
  expect(ready).toEqual({
    provider: 'anthropic',
    model: 'claude-haiku-4-5',
    sessionId: expect.any(String),
    seq: 0,
  })
  const said = await client.say('message', { text: 'Hello' })
  expect(said).toEqual({ executionId: expect.any(String) })
  const { executionId } = said
  const { body } = await web.call('GET', `/executions/${executionId}`)
  expect(body.data).toMatchObject({ sessionId: ready.sessionId, prompt: 'Hello', status: 'queued' })
  const turn = await room.turnIn(ready.sessionId)
  await turn.say({ type: 'start-step' }, { type: 'text-start', id: '0' })
  await turn.say({ type: 'text-delta', id: '0', delta: 'Good ' })
  await turn.say({ type: 'text-delta', id: '0', delta: 'day' }, { type: 'text-end', id: '0' })
  await turn.end()
  await client.next('agent:done')
  expect(client.heard.slice(1)).toEqual([
    { name: 'agent:delta', body: { text: 'Good ', seq: 5 } },
    { name: 'agent:delta', body: { text: 'day', seq: 6 } },
    { name: 'agent:message', body: { text: 'Good day', seq: 7 } },
    { name: 'agent:done', body: { status: 'succeeded', seq: 8 } },
  ])
})

test('two clients on two webs see the same in the same order, and one queue is answered by whoever comes first', async () => {
  const room = await openChatRoom()
  const [one, two] = [await openWeb(room), await openWeb(room)]
  const { client, sessionId, turn } = await begin(room, one.url)
  const other = connect(two.url, { token: room.token, sessionId, after: 0 })
  await other.next('system:ready')

  const calls = ['a', 'b', 'c', 'd', 'e']
  await turn.say({ type: 'start-step' })
  for (const id of calls) await turn.call(id, `desk__${id}`)
  await turn.say({ type: 'finish-step' })
  const ids: string[] = []
  for (const [at, id] of calls.entries()) ids.push(await turn.ask(id, `desk.${id}`, at + 1, 5, { of: id }))
  expect(await client.next('tool:approval_required')).toMatchObject({
    name: 'desk.a',
    args: { of: 'a' },
    callId: ids[0],
    queuePosition: 1,
    totalInQueue: 5,
  })
  const waiting = await two.call('GET', `/approvals?status=waiting&sessionId=${sessionId}`)
  expect(waiting.body.data).toHaveLength(5)

  expect(await client.say('tool:approval', { callId: ids[0], approved: true })).toEqual({ ok: true })
  expect(await other.next('tool:approval_required', 2)).toMatchObject({ callId: ids[1], queuePosition: 2 })
  await other.say('tool:approval', { callId: ids[1], approved: false, reason: 'too loud' })
  expect(await client.next('tool:approval_required', 3)).toMatchObject({ callId: ids[2] })
  const byApi = await two.call('POST', `/approvals/${ids[2]}`, { decision: 'granted' })
  expect(byApi.status).toBe(200)
  await client.next('tool:approval_required', 4)
  await client.say('tool:approval', { callId: ids[3], approved: false })
  await other.next('tool:approval_required', 5)
  await other.say('tool:approval', { callId: ids[4], approved: true })
  await turn.say(
    { type: 'tool-output-denied', toolCallId: 'b' },
    { type: 'tool-output-denied', toolCallId: 'd' },
    { type: 'tool-output-error', toolCallId: 'c', errorText: 'The desk broke' },
    { type: 'tool-output-available', toolCallId: 'e', output: { fine: true } },
    { type: 'tool-output-available', toolCallId: 'a', output: 'done' },
  )
  await turn.end()
  await Promise.all([client.next('agent:done'), other.next('agent:done')])
  expect(told(client)).toEqual(told(other))
  expect(told(client).slice(5)).toMatchObject([
    { name: 'agent:error', body: { callId: ids[1], message: 'desk.b was refused: too loud' } },
    { name: 'agent:error', body: { callId: ids[3] } },
    { name: 'agent:error', body: { callId: ids[2], message: 'The desk broke' } },
    { name: 'tool:output', body: { callId: ids[4], name: 'desk.e', output: { fine: true } } },
    { name: 'tool:output', body: { callId: ids[0], name: 'desk.a', output: 'done' } },
    { name: 'agent:done', body: { status: 'succeeded' } },
  ])
  const seqs = told(client).map(({ body }) => body.seq)
  expect(seqs).toEqual(seqs.toSorted((first, second) => first - second))
  expect(new Set(seqs).size).toBe(seqs.length)
})

test('a client that is cut off again and again misses nothing and hears nothing twice', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const { client, sessionId, turn } = await begin(room, web.url)
  let seq = 1
  const { token } = room
  const auth = (give: (auth: object) => void) => give({ token, sessionId, after: seq })
  const cutOff = connect(web.url, auth, { reconnection: true, reconnectionDelay: 1, reconnectionDelayMax: 5 })
  cutOff.socket.onAny((_, body: { seq: number }) => (seq = body.seq))
  await cutOff.next('system:ready')
  await turn.say({ type: 'start-step' }, { type: 'text-start', id: '0' })
  for (let round = 0; round < 60; round++) {
    await turn.say({ type: 'text-delta', id: '0', delta: `${round} ` }, { type: 'data-usage', data: {} })
    if (round % 7 === 3) cutOff.socket.io.engine.close()
  }
  await turn.say({ type: 'text-end', id: '0' })
  await turn.end()
  await Promise.all([client.next('agent:done'), cutOff.next('agent:done')])
  expect(cutOff.cuts.length).toBeGreaterThan(3)
  expect(told(cutOff)).toEqual(told(client))
  // The whole text, although it began before the client came back.
  const numbers = Array.from({ length: 60 }, (_, round) => `${round} `)
  expect((await cutOff.next('agent:message')).text).toBe(numbers.join(''))
})

test('whoever comes, or comes back, is shown the question that is due, and nothing else of the past', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const { client, sessionId, turn } = await begin(room, web.url)
  await turn.say({ type: 'text-delta', id: '0', delta: 'Before' })
  await Promise.all([turn.call('a', 'desk__a'), turn.call('b', 'desk__b')])
  const [first, second] = [await turn.ask('a', 'desk.a', 1, 2), await turn.ask('b', 'desk.b', 2, 2)]
  const { seq } = await client.next('tool:approval_required')

  const fresh = connect(web.url, { token: room.token, sessionId })
  expect(await fresh.next('tool:approval_required')).toMatchObject({ callId: first, queuePosition: 1 })
  expect(fresh.names()).toEqual(['system:ready', 'tool:approval_required'])
  await client.say('tool:approval', { callId: first, approved: true })
  expect(await fresh.next('tool:approval_required', 2)).toMatchObject({ callId: second, queuePosition: 2 })

  // It had seen the first one, which was answered meanwhile.
  const back = connect(web.url, { token: room.token, sessionId, after: seq })
  expect(await back.next('tool:approval_required')).toMatchObject({ callId: second })
  await turn.end()
  await back.next('agent:done')
  expect(back.names()).toEqual(['system:ready', 'tool:approval_required', 'agent:done'])
})

test('an answer counts once, for a question of this session, from somebody who may give it', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const { client, sessionId, turn } = await begin(room, web.url)
  const elsewhere = await begin(room, web.url)
  const id = await turn.ask('a', 'desk.a', 1, 1)
  const foreign = await elsewhere.turn.ask('a', 'desk.a', 1, 1)

  const refused = async (by: Client, callId: string) => {
    const before = by.named('agent:error').length
    const { error } = await by.say('tool:approval', { callId, approved: true })
    expect(await by.next('agent:error', before + 1)).toMatchObject({ message: error.message, callId })
    return error.code
  }
  const unknown = '01890000-0000-7000-8000-000000000000'
  expect(await refused(client, unknown)).toBe('approval_not_found')
  expect(await refused(client, foreign)).toBe('approval_not_found')
  await client.say('tool:approval', { callId: id, approved: true })
  expect(await refused(client, id)).toBe('approval_already_answered')

  const ada = await room.user('Ada', ['chat'])
  const hers = await room.openSession(asPrincipal(ada))
  const her = connect(web.url, { token: ada.token, sessionId: hers })
  await her.next('system:ready')
  await her.say('message', { text: 'Begin' })
  const herTurn = await room.turnIn(hers)
  const herQuestion = await herTurn.ask('a', 'desk.a', 1, 1)
  expect(await refused(her, herQuestion)).toBe('forbidden')
  expect(await refused(her, id)).toBe('forbidden')
  const { body } = await web.call('GET', `/approvals?status=waiting&sessionId=${hers}`)
  expect(body.data).toHaveLength(1)
  expect(sessionId).not.toBe(hers)
})

test('what cannot be understood is told, and the connection stays', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const client = connect(web.url, { token: room.token })
  // Said before anybody has looked at the token: in its order all the same.
  const words = Array.from({ length: 30 }, (_, at) => `word ${at}`)
  const early = await Promise.all(words.map((text) => client.say('message', { text })))
  const [{ executionId }] = early
  expect(early).toEqual(words.map(() => ({ executionId })))
  const { sessionId } = await client.next('system:ready')
  const { body } = await web.call('GET', `/executions/${executionId}`)
  expect(body.data).toMatchObject({ prompt: 'word 0', sessionId })
  const said = await room.pool.db.$client.query<{ text: string }>(
    `select payload->>'text' as text from events where stream_id = $1 and type = 'data-message' order by seq`,
    [sessionId],
  )
  expect(said.rows.map(({ text }) => text)).toEqual(words)

  const code = async (name: string, given?: unknown) => (await client.say(name, given)).error?.code
  expect(await code('message')).toBe('does_not_fit')
  expect(await code('message', 'Hello')).toBe('does_not_fit')
  expect(await code('message', { text: '' })).toBe('does_not_fit')
  expect(await code('message', { text: 'x', history: [] })).toBe('does_not_fit')
  expect(await code('message', { text: Buffer.from('bytes') })).toBe('does_not_fit')
  expect(await code('message', { text: 'a'.repeat(1_000_001) })).toBe('does_not_fit')
  expect(await code('message', { text: 'ä'.repeat(600_000) })).toBe('body_too_large')
  expect(await code('tool:approval', { callId: 'x', approved: true })).toBe('does_not_fit')
  expect(await code('message', { text: 'x\0' })).toBe('does_not_fit')
  expect(await code('message', { text: 'x\ud800' })).toBe('does_not_fit')
  expect(await code('levitate')).toBe('not_found')
  expect(await code('error', {})).toBe('not_found')
  expect(client.socket.io.engine.write('2900[7,{}]')).toBeDefined() // an event that is named by a number
  expect(await client.next('agent:error', 13)).toMatchObject({
    code: 'not_found',
    message: expect.stringMatching(/^Nothing is done on 7:/),
  })
  const errors = client.named('agent:error').length
  expect(errors).toBe(13)
  client.socket.emit('message', { text: 7 })
  await client.next('agent:error', errors + 1)

  const stops = (count: number) => Promise.all(Array.from({ length: count }, () => client.say('stop')))
  const isTooMuch = ({ error }: { error?: { code: string } }) => error?.code === 'too_many_calls'
  const flood = await room.pool.transaction(async (tx) => {
    await lockStream(tx, BOARD_STREAM) // nothing is heard until this is over
    const all = stops(150)
    await client.next('agent:error', errors + 51)
    return { all }
  })
  const refused = (await flood.all).map(isTooMuch)
  expect(refused).toEqual(refused.map((_, at) => at >= 100))
  const paced = [...(await stops(90)), ...(await stops(90))]
  expect(paced.some(isTooMuch)).toBe(true)
  expect(client.cuts).toEqual([])
})

test('a word in the middle of a turn is a word in that turn, and stop asks it to stop', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const { client, turn } = await begin(room, web.url)
  expect(await client.say('message', { text: 'And quickly' })).toEqual({ executionId: turn.executionId })
  expect(await client.say('stop')).toEqual({ ok: true })
  const { rows } = await room.pool.db.$client.query<{ type: string }>(
    'select type from commands where execution_id = $1 order by id',
    [turn.executionId],
  )
  expect(rows.map(({ type }) => type)).toEqual(['message', 'interrupt'])
  await turn.end()
  await client.next('agent:done')
  expect(await client.say('stop')).toEqual({ ok: true })
})

test('polling does too, and becomes a socket', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const client = connect(web.url, { token: room.token }, { transports: ['polling', 'websocket'] })
  const { sessionId } = await client.next('system:ready')
  await expect.poll(() => client.socket.io.engine.transport.name, patience).toBe('websocket')
  const slow = connect(web.url, { token: room.token, sessionId }, { transports: ['polling'] })
  await slow.next('system:ready')
  await slow.say('message', { text: 'Begin' })
  const turn = await room.turnIn(sessionId)
  await turn.say({ type: 'text-delta', id: '0', delta: 'x'.repeat(300_000) })
  await turn.end()
  await Promise.all([slow.next('agent:done'), client.next('agent:done')])
  expect(told(slow)).toEqual(told(client))
})
