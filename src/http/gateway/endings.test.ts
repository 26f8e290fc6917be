import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { BOARD_STREAM } from '#contract/event.ts'
import { appendEvents } from '#db/events.ts'
import { asPrincipal, owner } from '#domain/access.ts'
import { rotateUserToken } from '#flows/rotate-user-token.ts'
import { restoreSession, trashSession } from '#flows/trash-session.ts'
import { jwtSecret } from '../../../test/support/auth.ts'
import { connect, openChatRoom, openWeb } from '../../../test/support/gateway.ts'

const patience = { timeout: 20_000, interval: 10 }

test('whose token is revoked is cut off, and told why when they come back', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const ada = await room.user('Ada', ['chat'])
  const client = connect(web.url, { token: ada.token }, { reconnection: true, reconnectionDelay: 1 })
  await client.next('system:ready')
  const others = connect(web.url, { token: room.token })
  await others.next('system:ready')
  await room.pool.transaction((tx) => rotateUserToken(tx, owner, ada.id))
  expect(await client.next('error')).toMatchObject({ code: 'unauthenticated' })
  await expect.poll(() => client.cuts.at(-1), patience).toBe('io server disconnect')
  expect(others.cuts).toEqual([])
})

test('whose token has expired is cut off at that moment', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const expires = Math.floor(Date.now() / 1000) + 3
  const token = await new SignJWT({ scope: 'chat' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('grace')
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(jwtSecret))
  const client = connect(web.url, { token })
  await client.next('system:ready')
  expect(await client.cut()).toBe('transport close')
  expect(Date.now() / 1000).toBeGreaterThanOrEqual(expires)
})

test('a session that is trashed is left; one that was trashed and restored is not', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const ada = await room.user('Ada', ['chat'])
  const sessionId = await room.openSession(asPrincipal(ada))
  await room.pool.transaction((tx) => trashSession(tx, owner, sessionId))
  await room.pool.transaction((tx) => restoreSession(tx, owner, sessionId))
  const client = connect(web.url, { token: ada.token, sessionId, after: 0 }, { reconnection: true })
  await client.say('message', { text: 'Begin' })
  await (await room.turnIn(sessionId)).end()
  await client.next('agent:done')
  expect(client.names()).toEqual(['system:ready', 'agent:done'])
  await room.pool.transaction((tx) => trashSession(tx, owner, sessionId))
  expect(await client.next('error')).toMatchObject({ code: 'session_trashed' })
  expect(await client.cut()).toBe('io server disconnect')
})

test('when web ends, everybody is cut off so that they come back by themselves', async () => {
  const room = await openChatRoom()
  const [web, next] = [await openWeb(room), await openWeb(room)]
  const client = connect(web.url, { token: room.token })
  const { sessionId, seq } = await client.next('system:ready')
  web.gateway.close()
  expect(await client.cut()).toBe('transport close')
  const back = connect(next.url, { token: room.token, sessionId, after: seq })
  await back.next('system:ready')
  await expect.poll(() => web.streams.readers, patience).toBe(0)
})

test('tells which sources come, unless their name is not for everybody', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const client = connect(web.url, { token: room.token })
  await client.next('system:ready')
  await client.say('stop') // it is all ears
  const added = (name: string | null) => ({ type: 'mcpAdded', payload: { name, by: 'owner' } })
  await room.pool.transaction((tx) => appendEvents(tx, BOARD_STREAM, [added(null), added('github')]))
  expect(await client.next('mcpAdded')).toEqual({ name: 'github', seq: 0 })
  expect(client.named('mcpAdded')).toHaveLength(1)
})

test('whoever does not read is let go, and others go on', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const client = connect(web.url, { token: room.token })
  const { sessionId } = await client.next('system:ready')
  await client.say('message', { text: 'Begin' })
  const turn = await room.turnIn(sessionId)

  const deaf = new WebSocket(`ws://${web.host}/socket.io/?EIO=4&transport=websocket`)
  deaf.on('error', () => undefined)
  const greeted = new Promise<void>((resolve) => {
    deaf.on('message', (data: Buffer) => {
      const text = data.toString('utf8')
      if (text.startsWith('0')) deaf.send(`40${JSON.stringify({ token: room.token, sessionId })}`)
      if (text.includes('system:ready')) resolve()
    })
  })
  await greeted
  await expect.poll(() => web.streams.readers, patience).toBe(4)
  deaf.pause()
  const text = 'x'.repeat(500_000)
  let sent = 0
  while (web.streams.readers > 2 && sent < 200) {
    await turn.say({ type: 'text-delta', id: '0', delta: text })
    sent += 1
    await client.next('agent:delta', sent)
  }
  expect(web.streams.readers).toBe(2)
  expect(client.cuts).toEqual([])
  deaf.terminate()
})
