import { request as ask } from 'node:http'
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { sessions } from '#db/schema.ts'
import { noteSessionFacts } from '#db/sessions.ts'
import { insertAgentToken } from '#db/tokens.ts'
import { asPrincipal } from '#domain/access.ts'
import { trashSession } from '#flows/trash-session.ts'
import { owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import { hashSecret, newSecret } from '#lib/secret.ts'
import { jwtSecret } from '../../../test/support/auth.ts'
import { connect, openChatRoom, openWeb } from '../../../test/support/gateway.ts'

/** What a client is told that is not let in. It is not to come back by itself. */
async function refusal(url: string, auth: object, query: Record<string, string> = {}) {
  const client = connect(url, auth, { query, reconnection: true })
  expect(await client.cut()).toBe('io server disconnect')
  expect(client.names()).toEqual(['error'])
  client.socket.disconnect()
  return client.heard[0]?.body
}

test('only people who may chat come in, to sessions that are theirs', async () => {
  const room = await openChatRoom()
  const { url } = await openWeb(room)
  const { token } = room
  const ada = await room.user('Ada', ['chat'])
  const boards = await room.user('Boards', ['board', 'tools'])
  const [ours, hers, gone] = [await room.openSession(), await room.openSession(asPrincipal(ada)), newId()]

  expect(await refusal(url, {})).toMatchObject({ code: 'unauthenticated', seq: 0 })
  expect(await refusal(url, { token: 'wrong' })).toMatchObject({ code: 'unauthenticated' })
  expect(await refusal(url, { token: 7 })).toMatchObject({ code: 'does_not_fit' })
  const forbidden = await refusal(url, { token: boards.token })
  expect(forbidden).toMatchObject({ code: 'forbidden' })
  expect(forbidden.message).toContain('chat or run')
  expect(await refusal(url, { token: ada.token }, { sessionId: ours })).toMatchObject({
    code: 'session_not_found',
  })
  expect(await refusal(url, { token, sessionId: gone })).toMatchObject({ code: 'session_not_found' })
  expect(await refusal(url, { token }, { sessionId: 'x' })).toMatchObject({ code: 'does_not_fit' })
  expect(await refusal(url, { token, sessionId: ours, after: 99 })).toMatchObject({
    code: 'does_not_fit',
    message: 'The session has not reached 99 yet; it is at 0. Connect without auth.after',
  })

  const allowed = connect(url, { token: ada.token }, { query: { sessionId: hers } })
  expect(await allowed.next('system:ready')).toMatchObject({ sessionId: hers })
  const asOwner = connect(url, { token, sessionId: hers })
  expect(await asOwner.next('system:ready')).toMatchObject({ sessionId: hers })
  const jwt = await new SignJWT({ scope: 'chat', name: 'Grace' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('grace')
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(jwtSecret))
  expect(await connect(url, { token: jwt }).next('system:ready')).toMatchObject({ provider: 'anthropic' })

  await room.pool.transaction((tx) => trashSession(tx, owner, ours))
  expect(await refusal(url, { token, sessionId: ours })).toMatchObject({ code: 'session_trashed' })
})

test('an agent has no business here, also with a token that lives', async () => {
  const room = await openChatRoom()
  const { url } = await openWeb(room)
  const client = connect(url, { token: room.token })
  const { sessionId } = await client.next('system:ready')
  const { executionId } = await client.say('message', { text: 'Hello' })
  const token = newSecret('sbagent')
  await insertAgentToken(room.pool.db, { id: newId(), hash: hashSecret(token), sessionId, executionId })
  expect(await refusal(url, { token, sessionId })).toMatchObject({
    code: 'forbidden',
    message: 'Only a person can do this',
  })
})

test('whoever guesses is told to wait', async () => {
  const room = await openChatRoom()
  const { url } = await openWeb(room)
  let last
  for (let attempt = 0; attempt < 40 && last?.code !== 'too_many_attempts'; attempt++)
    last = await refusal(url, { token: `wrong ${attempt}` })
  expect(last).toMatchObject({ code: 'too_many_attempts' })
  await connect(url, { token: room.token }).next('system:ready')
})

test('without a key nobody is let in, the variable is named, and no session is left behind', async () => {
  const room = await openChatRoom({ ANTHROPIC_API_KEY: 'key' })
  const { url } = await openWeb(room)
  const { token, pool } = room
  const missing = await refusal(url, { token }, { model: 'openai/gpt-4o' })
  expect(missing).toMatchObject({ code: 'model_unavailable' })
  expect(missing.message).toContain('OPENAI_API_KEY')
  expect(await pool.db.$count(sessions)).toBe(0)

  const session = await room.openSession()
  await refusal(url, { token, sessionId: session }, { model: 'google/gemini-2.0-flash' })
  const here = connect(url, { token, sessionId: session }, { query: { model: 'claude-haiku-4-5' } })
  expect(await here.next('system:ready')).toMatchObject({ provider: 'anthropic', model: 'claude-haiku-4-5' })
  // Whoever comes back takes nothing back.
  const back = connect(url, { token, sessionId: session, after: 0 }, { query: { model: 'anthropic/other' } })
  expect(await back.next('system:ready')).toMatchObject({ model: 'claude-haiku-4-5' })
})

test('a worker that is away is no reason to stay away', async () => {
  const room = await openChatRoom()
  const { url } = await openWeb(room)
  const { token } = room
  const sessionId = await room.openSession()
  const facts = { model: 'anthropic/claude-haiku-4-5' }
  await room.pool.transaction((tx) => noteSessionFacts(tx, sessionId, facts))
  await room.worker.close()
  const client = connect(url, { token })
  expect(await client.next('error')).toMatchObject({ code: 'machine_unavailable' })
  expect(await client.cut()).not.toBe('io server disconnect')
  // Where a model has answered already, there is something to read.
  const reader = connect(url, { token, sessionId })
  expect(await reader.next('system:ready')).toMatchObject({
    provider: 'anthropic',
    model: 'claude-haiku-4-5',
  })
})

test('it is called by its own name, by pages that may, and leaves other sockets alone', async () => {
  const room = await openChatRoom()
  const { host } = await openWeb(room)
  const polling = '/socket.io/?EIO=4&transport=polling'
  const answer = (path: string, headers: Record<string, string>, method = 'GET') =>
    new Promise<{ status: number | undefined; headers: Record<string, unknown> }>((resolve, reject) => {
      const [name, port] = host.split(':')
      const asked = ask({ host: name, port, path, method, headers }, (response) => {
        response.resume()
        resolve({ status: response.statusCode, headers: response.headers })
      })
      asked.on('error', reject)
      asked.end()
    })
  const fine = await answer(polling, {})
  expect(fine.status).toBe(200)
  expect(fine.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
  expect((await answer(polling, { origin: `http://${host}` })).status).toBe(200)
  expect((await answer(polling, { origin: 'http://evil.example' })).status).toBe(403)
  expect((await answer(polling, { host: 'evil.example' })).status).toBe(403)
  expect((await answer(polling, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)

  const refused = (path: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve) => {
      const socket = new WebSocket(`ws://${host}${path}`, { headers })
      socket.on('error', () => undefined)
      socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode))
      socket.once('open', () => {
        resolve(101)
        socket.terminate()
      })
    })
  const upgrade = '/socket.io/?EIO=4&transport=websocket'
  expect(await refused(upgrade, { origin: `http://${host}` })).toBe(101)
  expect(await refused(upgrade, { origin: 'http://evil.example' })).toBe(403)
  expect(await refused(upgrade, { host: 'evil.example' })).toBe(403)
  expect(await refused('/api/v1/execute/ws', {})).toBe(401)
  expect(await refused('/api/v1/execute/ws', { authorization: `Bearer ${room.token}` })).toBe(101)
})
