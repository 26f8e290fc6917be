import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

const secret = 'a secret that only this test and its Signalbox know'

let box: Signalbox
beforeAll(async () => {
  box = await startSignalbox({ env: { JWT_SECRET: secret } })
})
afterAll(async () => {
  await box.stop()
})

const newUser = async (name: string, scopes: string[]) =>
  (await box.call('POST', '/users', { name, scopes })).body.data as { id: string; token: string }

const openStream = (query: string, token?: string) =>
  fetch(`${box.url}/api/v1/sse/board${query}`, token ? { headers: { authorization: `Bearer ${token}` } } : {})

test('a user who is deleted hears nothing more, also on a stream that was open', async () => {
  const { id, token } = await newUser('temporary', ['board'])
  const stream = await openStream('', token)
  expect(stream.status).toBe(200)
  const heard = stream.text() // resolves when the stream ends
  expect((await box.call('DELETE', `/users/${id}`)).status).toBe(204)
  await box.call('POST', '/tasks', { title: 'not for everyone' })
  expect(await heard).not.toContain('not for everyone')
  expect((await openStream('', token)).status).toBe(401)
})

test('a ticket opens one stream, once, and nothing else', async () => {
  const { ticket } = (await box.call('POST', '/auth/ticket')).body.data
  expect((await call(box.url, undefined, 'GET', `/tasks?ticket=${ticket}`)).status).toBe(401)
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => openStream(`?ticket=${ticket}`)))
  expect(outcomes.map((outcome) => outcome.status).filter((status) => status === 200)).toHaveLength(1)
  for (const { body } of outcomes) await body?.cancel()
  expect(box.log()).not.toContain(ticket)
})

test('a JWT signed with the shared secret comes in, with the scopes it names and no more', async () => {
  const sign = (scope: string) =>
    new SignJWT({ scope })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('alice')
      .setExpirationTime('1m')
      .sign(new TextEncoder().encode(secret))
  const made = await call(box.url, await sign('board'), 'POST', '/tasks', { title: 'by alice' })
  expect([made.status, made.body.data.createdBy]).toEqual([201, 'jwt:alice'])
  expect((await call(box.url, await sign('board'), 'GET', '/settings')).status).toBe(403)
  expect((await call(box.url, await sign('tools'), 'GET', '/tasks')).status).toBe(403)
})

test('every route but health, login and the way back from an issuer wants a token, and a forged cookie is no token', async () => {
  // One says who we are, to issuers; one leads to the page and does nothing else: what was brought along is redeemed there, by whoever is logged in.
  const openToAll = new Set([
    'get /health',
    'post /auth/session',
    'get /mcp/callback',
    'get /mcp/client.json',
  ])
  const { body: document } = await box.call('GET', '/openapi.json')
  for (const [path, methods] of Object.entries<object>(document.paths))
    for (const method of Object.keys(methods)) {
      if (openToAll.has(`${method} ${path}`)) continue
      const place = path.replace('{id}', '01890000-0000-7000-8000-000000000000')
      const cookie = { cookie: `token=${box.token}; session=${box.token}; authorization=${box.token}` }
      const { status, body } = await call(box.url, undefined, method.toUpperCase(), place, undefined, cookie)
      expect([method, path, status, body.error.code]).toEqual([method, path, 401, 'unauthenticated'])
    }
  expect((await call(box.url, undefined, 'GET', '/openapi.json')).status).toBe(401)
  expect((await fetch(`${box.url}/api/health`)).status).toBe(200)
})
