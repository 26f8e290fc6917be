import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { ClientOptions } from 'ws'
import type { CodeMessage } from '#contract/execute.ts'
import { owner } from '#domain/access.ts'
import { keepRun, openCodeWeb } from '../../test/support/code-web.ts'
import type { CodeWeb } from '../../test/support/code-web.ts'

const patience = { timeout: 20_000, interval: 20 }

interface Said extends CodeMessage {
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into payloads of every shape
  payload: any
}

/** Opens a socket, and remembers what is heard. */
async function open({ host, token }: CodeWeb, options: ClientOptions = {}, query = '') {
  const headers = query ? {} : { authorization: `Bearer ${token}` }
  const socket = new WebSocket(`ws://${host}/api/v1/execute/ws${query}`, { headers, ...options })
  const heard: Said[] = []
  socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString('utf8'))))
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await once(socket, 'open')
  const say = (message: unknown) =>
    socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  return {
    socket,
    heard,
    closed,
    say,
    execute: (id: string, payload: unknown) => say({ id, type: 'execute', payload }),
    run: (id: string, code: string) => say({ id, type: 'execute', payload: { code } }),
    of: (id: string) => heard.filter((message) => message.id === id),
    /** The first of this kind, once it is there. */
    async first(id: string, type: CodeMessage['type']): Promise<Said> {
      const found = () => heard.find((message) => message.id === id && message.type === type)
      await expect.poll(found, patience).toBeDefined()
      return found()!
    },
  }
}

/** With what status a socket is refused. */
function refused(host: string, path: string, headers: Record<string, string>): Promise<number | undefined> {
  const socket = new WebSocket(`ws://${host}${path}`, { headers })
  socket.on('error', () => undefined)
  return new Promise((resolve) => {
    socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode))
    socket.once('open', () => resolve(101))
  })
}

test('a ticket opens it once, a token as often as it likes; nobody else comes in', async () => {
  const web = await openCodeWeb()
  const { host, token } = web
  const authorization = `Bearer ${token}`
  const path = '/api/v1/execute/ws'
  const ticket = await web.ticket()
  expect(await refused(host, `${path}?ticket=${ticket}`, {})).toBe(101)
  expect(await refused(host, `${path}?ticket=${ticket}`, {})).toBe(401)
  expect(await refused(host, '/api/execute/ws', { authorization })).toBe(101)
  expect(await refused(host, path, { authorization, origin: `http://${host}` })).toBe(101)
  expect(await refused(host, path, {})).toBe(401)
  expect(await refused(host, path, { authorization: 'Bearer wrong' })).toBe(401)
  expect(await refused(host, path, { authorization, origin: 'http://evil.example' })).toBe(403)
  expect(await refused(host, path, { authorization, host: 'evil.example' })).toBe(403)
  const { token: boards } = await web.user('Boards', ['board'])
  expect(await refused(host, path, { authorization: `Bearer ${boards}` })).toBe(403)
  expect(await refused(host, `${path}?more=1`, { authorization })).toBe(422)
  const plain = await web.call('GET', '/execute/ws')
  expect([plain.status, plain.body.error.context.fields[0].field]).toEqual([422, 'Upgrade'])
})

test('tells what is logged as it happens, then the result, and runs several at once', async () => {
  const web = await openCodeWeb()
  const socket = await open(web)
  socket.run('slow', 'log begun\nstall')
  expect((await socket.first('slow', 'log')).payload).toEqual({ level: 'info', message: 'begun' })
  socket.run('quick', 'log hello\nreturn {"a": 1}')
  const { payload } = await socket.first('quick', 'result')
  expect(payload).toMatchObject({ success: true, result: { a: 1 } })
  expect(socket.of('quick').map(({ type }) => type)).toEqual(['log', 'result'])
  socket.run('broken', 'throw no')
  expect((await socket.first('broken', 'result')).payload).toMatchObject({ success: false })
  socket.execute('older', { code: 'return 2', options: { timeout: 500, typescript: false } })
  expect((await socket.first('older', 'result')).payload.result).toBe(2)
  expect(web.script.seen.at(-1)?.wanted).toMatchObject({ timeout: 500, typescript: false, check: true })
  expect(socket.heard.every(({ timestamp }) => typeof timestamp === 'number')).toBe(true)

  socket.say({ id: 'slow', type: 'cancel' })
  expect((await socket.first('slow', 'result')).payload).toMatchObject({
    success: false,
    error: { message: 'It was cancelled' },
  })
  socket.say({ id: 'slow', type: 'cancel' })
  expect((await socket.first('slow', 'error')).payload.code).toBe('not_found')
})

test('refuses what is not run, in words, and goes on', async () => {
  const socket = await open(await openCodeWeb())
  const code = async (id: string) => (await socket.first(id, 'error')).payload.code
  socket.say('{"id": "a", ')
  expect(await code('')).toBe('bad_json')
  socket.say({ id: 'b', type: 'execute', payload: { code: 'return 1', colour: 'red' } })
  expect((await socket.first('b', 'error')).payload).toMatchObject({
    code: 'does_not_fit',
    message: 'The payload does not fit: colour: is not known here',
  })
  socket.execute('c', { code: 1 })
  expect(await code('c')).toBe('does_not_fit')
  socket.execute('d', undefined)
  expect(await code('d')).toBe('does_not_fit')
  socket.execute('e', { code: 'return 1', options: 'fast' })
  expect(await code('e')).toBe('does_not_fit')
  socket.say({ id: 'f', type: 'result' })
  expect(await code('f')).toBe('does_not_fit')
  socket.say({ id: 'g', type: 'levitate' })
  expect(await code('g')).toBe('does_not_fit')
  socket.run('h', 'busy')
  expect((await socket.first('h', 'error')).payload).toMatchObject({
    code: 'too_many_calls',
    context: { retryAfterSec: 3 },
  })
  socket.run('i', 'late')
  expect(await code('i')).toBe('too_many_calls')
  socket.socket.send(Buffer.from('{"id":"bytes","type":"execute"}'), { binary: true })
  await expect.poll(() => socket.of('').length, patience).toBe(2)
  socket.run('fine', 'return 1')
  await socket.first('fine', 'result')
})

test('an id that is under way is refused, and so is the twenty-first', async () => {
  const web = await openCodeWeb()
  const socket = await open(web)
  for (let at = 1; at <= 20; at++) socket.run(`run ${at}`, 'stall')
  socket.run('run 1', 'return 1')
  expect((await socket.first('run 1', 'error')).payload.message).toContain('is under way')
  socket.run('one more', 'return 1')
  expect((await socket.first('one more', 'error')).payload.code).toBe('too_many_calls')
  await expect.poll(() => web.script.seen.length, patience).toBe(20)
  socket.say({ id: 'run 7', type: 'cancel' })
  await socket.first('run 7', 'result')
  socket.run('run 7', 'return 7')
  await expect.poll(() => socket.of('run 7').at(-1)?.payload.result, patience).toBe(7)
  socket.socket.close()
  await expect.poll(() => web.script.cancelled.length, patience).toBe(20)
})

test('a run that waits for a person says so, outlives its socket, and is answered later', async () => {
  const web = await openCodeWeb()
  const [socket, other] = [await open(web), await open(web)]
  socket.run('a', 'log before\nask')
  other.run('b', 'ask')
  await expect.poll(() => socket.of('a').length, patience).toBe(2)
  const { payload } = socket.of('a')[1]!
  expect(payload).toMatchObject({
    level: 'info',
    message: 'It waits for a person: Create an issue',
    approvals: [{ tool: 'github.create_issue' }],
  })
  web.script.answer(payload.requestId, 'done')
  expect((await socket.first('a', 'result')).payload.result).toBe('done')
  const waiting = await other.first('b', 'log')
  other.socket.close()
  await other.closed
  socket.run('c', 'return 1')
  await socket.first('c', 'result')
  expect(web.script.cancelled).toEqual([])
  expect(waiting.payload.requestId).toBeTypeOf('string')
})

test('a run that waits for a person is waited for although its worker is gone', async () => {
  const web = await openCodeWeb()
  const socket = await open(web)
  socket.run('broken off', 'log begun\nstall')
  socket.run('waits', 'ask')
  await socket.first('broken off', 'log')
  const { requestId } = (await socket.first('waits', 'log')).payload
  await web.worker.close()
  expect((await socket.first('broken off', 'error')).payload.code).toBe('machine_unavailable')
  await keepRun(web, owner, { id: requestId, hasEnded: true })
  expect((await socket.first('waits', 'result')).payload.result).toBe('late')
})

test('a run that waits for a person is cancelled although its worker is gone', async () => {
  const web = await openCodeWeb()
  const socket = await open(web)
  socket.run('waits', 'ask')
  const { requestId } = (await socket.first('waits', 'log')).payload
  await keepRun(web, owner, { id: requestId })
  await web.worker.close()
  socket.say({ id: 'waits', type: 'cancel' })
  expect((await socket.first('waits', 'result')).payload).toMatchObject({
    success: false,
    error: { message: 'It was cancelled' },
  })
})

test('whoever reads nothing is not written to for ever, and a message that is too long ends it', async () => {
  const web = await openCodeWeb()
  const deaf = await open(web)
  deaf.socket.pause()
  deaf.run('a', 'flood 60\nstall')
  await expect.poll(() => web.script.cancelled.length, patience).toBe(1)
  deaf.socket.terminate()
  const long = await open(web)
  long.run('a', 'stall')
  await expect.poll(() => web.script.seen.length, patience).toBe(2)
  const reason = new Promise((resolve) => long.socket.once('close', (_, why) => resolve(why.toString())))
  long.run('b', 'x'.repeat(4 * 1024 * 1024))
  expect(await long.closed).toBe(1009)
  expect(await reason).toBe('A message can have 4 MB, and this one has more')
  await expect.poll(() => web.script.cancelled.length, patience).toBe(2)
})

test('whoever does not answer a ping is gone', async () => {
  const web = await openCodeWeb({ beatMs: 100 })
  const there = await open(web)
  const [name = '', port = ''] = web.host.split(':')
  const silent = connect(Number(port), name)
  const gone = once(silent, 'close')
  silent.write(
    `GET /api/v1/execute/ws HTTP/1.1\r\nHost: ${web.host}\r\nAuthorization: Bearer ${web.token}\r\n` +
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  silent.resume()
  silent.on('error', () => undefined)
  await gone
  there.run('a', 'return 1')
  expect((await there.first('a', 'result')).payload.result).toBe(1)
})

test.each(['token', 'ticket'])('ends, with what it runs, when the right by %s is gone', async (by) => {
  const web = await openCodeWeb()
  const eve = await web.user('Eve', ['code'])
  const query = by === 'ticket' ? `?ticket=${await web.ticket(eve.token)}` : ''
  const socket = await open({ ...web, token: eve.token }, {}, query)
  socket.run('a', 'stall')
  await expect.poll(() => web.script.seen.at(-1)?.by, patience).toBe(eve.id)
  expect((await web.call('DELETE', `/users/${eve.id}`)).status).toBe(204)
  expect(await socket.closed).toBe(1008)
  await expect.poll(() => web.script.cancelled.length, patience).toBe(1)
})
