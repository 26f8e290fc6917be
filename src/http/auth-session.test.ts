import { SignJWT } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { dataOf, errorOf, jwtSecret, openAuth } from '../../test/support/auth.ts'
import { untilOneWaits } from '../../test/support/postgres-locks.ts'
import { SessionKey } from '#contract/access.ts'
import { owner } from '#domain/access.ts'
import { deleteUser } from '#flows/delete-user.ts'

let box: Awaited<ReturnType<typeof openAuth>>
beforeEach(async () => {
  box = await openAuth()
})

const left = async (interval: string) =>
  box.pool.db.$client.query(`update tokens set expires_at = now() + $1::interval where kind = 'session'`, [
    interval,
  ])
const daysLeft = async (key: string) =>
  (Date.parse((await box.login(key)).expiresAt) - Date.now()) / (24 * 3600_000)

describe('a session key', () => {
  it('is had for a token in the header or in the body, and lives for 30 days', async () => {
    const { token } = await box.addUser('Ada', ['board'])
    const fromBody = await dataOf(await box.ask('POST', '/auth/session', undefined, { token }), SessionKey)
    const fromHeader = await box.login(token)
    for (const { sessionKey, expiresAt, principal } of [fromBody, fromHeader]) {
      expect(principal.name).toBe('Ada')
      expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(30 * 24 * 3600_000 - 60_000)
      expect(await box.status('GET', '/sse/board', sessionKey)).toBe(200)
    }
  })

  it('is not had for nothing', async () => {
    expect(await box.status('POST', '/auth/session')).toBe(401)
    expect(await box.status('POST', '/auth/session', 'wrong')).toBe(401)
    expect(await box.status('POST', '/auth/session', undefined, { token: 'wrong' })).toBe(401)
    expect(await box.status('POST', '/auth/session', undefined, {})).toBe(401)
    expect(await box.status('POST', '/auth/session', undefined, { token: 7 })).toBe(422)
    expect(await box.status('POST', '/auth/session', 'wrong', { token: box.ownerToken })).toBe(401)
  })

  it('costs whoever is not in yet no more than a short body', async () => {
    expect(await box.status('POST', '/auth/session', undefined, { token: 'x'.repeat(20_000) })).toBe(413)
    expect(await box.status('POST', '/users', undefined, { name: 'x'.repeat(2_000_000) })).toBe(401)
  })

  it('is not traded for another one: the same comes back', async () => {
    const first = await box.login(box.ownerToken)
    const before = await box.count('tokens')
    expect(await box.login(first.sessionKey)).toEqual(first)
    expect(await box.count('tokens')).toBe(before)
  })

  it('of a JWT is the JWT, and lives no longer', async () => {
    const exp = Math.floor(Date.now() / 1000) + 60
    const jwt = await new SignJWT({ sub: 'grace', exp })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(jwtSecret))
    const before = await box.count('tokens')
    expect(await box.login(jwt)).toMatchObject({
      sessionKey: jwt,
      expiresAt: new Date(exp * 1000).toISOString(),
    })
    expect(await box.count('tokens')).toBe(before)
  })

  it('ends by logging out, alone', async () => {
    const [one, other] = [await box.login(box.ownerToken), await box.login(box.ownerToken)]
    expect(await box.status('DELETE', '/auth/session', one.sessionKey)).toBe(204)
    expect(await box.status('GET', '/auth/whoami', one.sessionKey)).toBe(401)
    expect(await box.status('GET', '/auth/whoami', other.sessionKey)).toBe(200)
    const answer = await box.ask('DELETE', '/auth/session', box.ownerToken)
    expect(answer.status).toBe(409)
    expect((await errorOf(answer)).code).toBe('not_a_session_key')
    expect(await box.status('GET', '/auth/whoami', box.ownerToken)).toBe(200)
  })

  it('expires, says so, and is swept', async () => {
    const { sessionKey } = await box.login(box.ownerToken)
    await left('-1 second')
    const answer = await box.ask('GET', '/auth/whoami', sessionKey)
    expect(answer.status).toBe(401)
    expect((await errorOf(answer)).message).toContain('expired')
    await box.login(box.ownerToken)
    expect(await box.count('tokens')).toBe(2)
  })

  it('lives on by being used, written down at most once a day', async () => {
    const { sessionKey } = await box.login(box.ownerToken)
    await left('29 days 1 minute')
    expect(await daysLeft(sessionKey)).toBeLessThan(29.1)
    await left('28 days 23 hours')
    expect(await daysLeft(sessionKey)).toBeGreaterThan(29.9)
  })

  it('is one of at most a hundred of its token; the one that would expire first goes', async () => {
    const first = await box.login(box.ownerToken)
    await left('29 days 1 minute')
    const { token } = await box.addUser('Ada')
    const foreign = await box.login(token)
    for (let i = 0; i < 99; i += 1) await box.login(box.ownerToken)
    expect(await box.status('GET', '/auth/whoami', first.sessionKey)).toBe(200)
    await box.login(box.ownerToken)
    expect(await box.status('GET', '/auth/whoami', first.sessionKey)).toBe(401)
    expect(await box.status('GET', '/auth/whoami', foreign.sessionKey)).toBe(200)
    expect(await box.count('tokens')).toBe(1 + 100 + 2)
  })

  it('is not had for a token that goes away meanwhile', async () => {
    const { id, token } = await box.addUser('Ada')
    let late: Promise<number> | undefined
    await box.pool.transaction(async (tx) => {
      await deleteUser(tx, owner, id)
      late = box.status('POST', '/auth/session', token)
      await untilOneWaits(box.pool)
    })
    expect(await late).toBe(401)
    expect(await box.count('tokens')).toBe(1)
  })
})

describe('a ticket', () => {
  it('opens a stream once, for whoever asked for it', async () => {
    const ada = await box.addUser('Ada', ['board'])
    const { ticket, expiresAt } = await box.ticketFor(ada.token)
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(30_000)
    const answer = await box.ask('GET', `/sse/board?ticket=${ticket}`)
    expect([answer.status, await answer.text()]).toEqual([200, ada.id])
    expect(await box.status('GET', `/sse/board?ticket=${ticket}`)).toBe(401)
  })

  it('lets in one of twenty who try at once', async () => {
    const { ticket } = await box.ticketFor(box.ownerToken)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => box.status('GET', `/sse/board?ticket=${ticket}`)),
    )
    expect(answers.filter((code) => code === 200)).toHaveLength(1)
    expect(answers.filter((code) => code === 401)).toHaveLength(19)
  })

  it('opens nothing but streams', async () => {
    const { ticket } = await box.ticketFor(box.ownerToken)
    expect(await box.status('GET', `/auth/whoami?ticket=${ticket}`)).toBe(401)
    expect(await box.status('GET', `/auth/whoami`, ticket)).toBe(401)
    expect(await box.status('POST', '/auth/session', ticket)).toBe(401)
    expect(await box.status('POST', `/sse/board?ticket=${ticket}`)).toBe(401)
    expect(await box.status('GET', `/sse/board?ticket=${ticket}`)).toBe(200)
  })

  it('is not needed where there is a header, and a bad one is not saved by it', async () => {
    expect(await box.status('GET', '/sse/board', box.ownerToken)).toBe(200)
    expect(await box.status('GET', '/sse/board')).toBe(401)
    expect(await box.status('GET', '/sse/board?ticket=wrong', box.ownerToken)).toBe(401)
  })

  it('expires, and is swept by the next one', async () => {
    const { ticket } = await box.ticketFor(box.ownerToken)
    await box.pool.db.$client.query(`update tickets set expires_at = now() - interval '1 second'`)
    expect(await box.status('GET', `/sse/board?ticket=${ticket}`)).toBe(401)
    await box.ticketFor(box.ownerToken)
    expect(await box.count('tickets')).toBe(1)
  })

  it('carries no more scopes than its owner has', async () => {
    const { token } = await box.addUser('Ada', ['tools'])
    const { ticket } = await box.ticketFor(token)
    expect(await box.status('GET', `/sse/board?ticket=${ticket}`)).toBe(403)
  })
})
