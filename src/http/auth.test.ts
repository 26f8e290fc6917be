import { SignJWT } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { callers, dataOf, errorOf, home, jwtSecret, openAuth } from '../../test/support/auth.ts'
import type { AuthOptions } from '../../test/support/auth.ts'
import { untilOneWaits } from '../../test/support/postgres-locks.ts'
import { Principal } from '#contract/access.ts'
import { registerOwnerToken } from '#flows/register-owner-token.ts'
import { newSecret } from '#lib/secret.ts'

let box: Awaited<ReturnType<typeof openAuth>>
beforeEach(async () => {
  box = await openAuth()
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Answers with what becomes of a wrong token that a proxy sends on for somebody. */
const wrongFrom = (settings: AuthOptions) => {
  const { ask } = callers(box.pool, box.ownerToken, { burst: 1, ...settings })
  return async (chain: string) =>
    (await ask('GET', '/auth/whoami', 'wrong', undefined, { 'x-forwarded-for': chain })).status
}

describe('a token', () => {
  it('says who is asking', async () => {
    const owner = await dataOf(await box.ask('GET', '/auth/whoami', box.ownerToken), Principal)
    expect(owner).toMatchObject({ id: 'owner', kind: 'owner' })
    expect(owner.scopes).toContain('admin')
    const ada = await box.addUser('Ada', ['board'])
    const whoami = await dataOf(await box.ask('GET', '/auth/whoami', ada.token), Principal)
    expect(whoami).toEqual({ id: ada.id, kind: 'user', name: 'Ada', scopes: ['board'] })
  })

  it.each([
    ['nothing', {}, 'A token is needed'],
    ['another scheme', { authorization: 'Basic b3duZXI6' }, 'must be: Bearer TOKEN'],
    ['an empty token', { authorization: 'Bearer ' }, 'must be: Bearer TOKEN'],
    ['two tokens', { authorization: 'Bearer a b' }, 'must be: Bearer TOKEN'],
    ['an unknown token', bearer('sbuser_unknown'), 'not known'],
    ['a token of 9 KB', bearer('x'.repeat(9000)), 'not known'],
    ['a JWT of 9 KB', bearer(`a.${'x'.repeat(9000)}.c`), 'not known'],
    ['a forged JWT', bearer('eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.'), 'not valid'],
  ])('that is %s opens nothing, and says what kind of fault it is', async (_, headers, message) => {
    const answer = await box.ask('GET', '/auth/whoami', undefined, undefined, headers)
    expect(answer.status).toBe(401)
    const error = await errorOf(answer)
    expect(error.code).toBe('unauthenticated')
    expect(error.message).toContain(message)
    expect(JSON.stringify(error)).not.toContain('xxx')
  })

  it('is nowhere in the database, only its hash', async () => {
    const { token } = await box.addUser('Ada')
    const { sessionKey } = await box.login(token)
    const { ticket } = await box.ticketFor(token)
    const { rows } = await box.pool.db.$client.query(
      `select encode(hash, 'escape') || tokens::text as text from tokens union all
       select encode(hash, 'escape') || tickets::text from tickets`,
    )
    const kept = JSON.stringify(rows)
    for (const secret of [box.ownerToken, token, sessionKey, ticket]) expect(kept).not.toContain(secret)
  })

  it('is not read from a cookie, the query or anywhere else', async () => {
    const cookie = `token=${box.ownerToken}; session=${box.ownerToken}; Authorization=Bearer ${box.ownerToken}`
    const forged = await box.ask(
      'GET',
      `/auth/whoami?token=${box.ownerToken}&access_token=${box.ownerToken}`,
      undefined,
      undefined,
      { cookie },
    )
    expect(forged.status).toBe(401)
    const ada = await box.addUser('Ada', ['board'])
    const answer = await box.ask('GET', '/auth/whoami', ada.token, undefined, { cookie })
    expect((await dataOf(answer, Principal)).id).toBe(ada.id)
    expect(answer.headers.getSetCookie()).toEqual([])
  })

  it('may be a JWT', async () => {
    const jwt = await new SignJWT({ scope: 'tools code' })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('grace')
      .setExpirationTime('1m')
      .sign(new TextEncoder().encode(jwtSecret))
    expect(await box.status('GET', '/tools', jwt)).toBe(200)
    expect(await box.status('GET', '/users', jwt)).toBe(403)
  })
})

describe('the owner’s token', () => {
  it('stays when it is registered again, with everything it opened', async () => {
    const { sessionKey } = await box.login(box.ownerToken)
    await Promise.all(
      [1, 2, 3].map(() => box.pool.transaction((tx) => registerOwnerToken(tx, home, box.ownerToken))),
    )
    expect(await box.status('GET', '/auth/whoami', sessionKey)).toBe(200)
    expect(await box.count('tokens')).toBe(2)
  })

  it('takes everything with it when the home has a new one', async () => {
    const { sessionKey } = await box.login(box.ownerToken)
    const { ticket } = await box.ticketFor(box.ownerToken)
    const next = newSecret('test')
    await box.pool.transaction((tx) => registerOwnerToken(tx, home, next))
    expect(await box.status('GET', '/auth/whoami', next)).toBe(200)
    expect(await box.status('GET', '/auth/whoami', box.ownerToken)).toBe(401)
    expect(await box.status('GET', '/auth/whoami', sessionKey)).toBe(401)
    expect(await box.status('GET', `/sse/board?ticket=${ticket}`)).toBe(401)
  })

  it('leaves those of other homes alone', async () => {
    const other = newSecret('test')
    await box.pool.transaction((tx) => registerOwnerToken(tx, 'home-2', other))
    expect(await box.status('GET', '/auth/whoami', box.ownerToken)).toBe(200)
    expect(await box.status('GET', '/auth/whoami', other)).toBe(200)
  })

  it('is one per home, the later one, also when two are registered at once', async () => {
    const [earlier, later] = [newSecret('test'), newSecret('test')]
    let waiting: Promise<void> | undefined
    await box.pool.transaction(async (tx) => {
      await registerOwnerToken(tx, home, earlier)
      waiting = box.pool.transaction((tx) => registerOwnerToken(tx, home, later))
      await untilOneWaits(box.pool)
    })
    await waiting
    expect(await box.status('GET', '/auth/whoami', earlier)).toBe(401)
    expect(await box.status('GET', '/auth/whoami', later)).toBe(200)
  })
})

describe('scopes', () => {
  it('are all needed, and the missing ones are named', async () => {
    const { token } = await box.addUser('Ada', ['tools'])
    const answer = await box.ask('GET', '/tools', token)
    expect(answer.status).toBe(403)
    expect(await errorOf(answer)).toMatchObject({ code: 'forbidden', context: { missing: ['code'] } })
    expect(await box.status('GET', '/tools', (await box.addUser('Bob', ['tools', 'code'])).token)).toBe(200)
    expect(await box.status('GET', '/tools', box.ownerToken)).toBe(200)
  })

  it('that we do not know open nothing, even when they stand in the table', async () => {
    const { token, id } = await box.addUser('Ada', ['board'])
    await box.pool.db.$client.query(`update users set scopes = '{root,board}' where id = $1`, [id])
    const { scopes } = await dataOf(await box.ask('GET', '/auth/whoami', token), Principal)
    expect(scopes).toEqual(['board'])
  })
})

describe('failed attempts', () => {
  beforeEach(() => {
    Object.assign(box, callers(box.pool, box.ownerToken, { burst: 3 }))
  })

  it('become 429 with a time to wait, and never stop a valid token', async () => {
    const wrong = async () => box.status('GET', '/auth/whoami', 'wrong')
    expect([await wrong(), await wrong(), await wrong(), await wrong()]).toEqual([401, 401, 401, 429])
    const answer = await box.ask('POST', '/auth/session', undefined, { token: 'wrong' })
    expect(answer.status).toBe(429)
    expect((await errorOf(answer)).context).toEqual({ retryAfterSec: expect.any(Number) })
    expect(await box.status('GET', '/sse/board?ticket=wrong')).toBe(429)
    expect(await box.status('GET', '/auth/whoami', box.ownerToken)).toBe(200)
    expect(await box.status('POST', '/auth/session', box.ownerToken)).toBe(200)
  })

  it('are not those of a caller who has no token yet, nor of one who lacks a scope', async () => {
    const { token } = await box.addUser('Ada', [])
    const answers = new Set<number>()
    for (let i = 0; i < 10; i += 1) {
      answers.add(await box.status('GET', '/auth/whoami'))
      answers.add(await box.status('GET', '/tools', token))
    }
    expect(answers).toEqual(new Set([401, 403]))
  })

  it('are counted by the address that a trusted proxy names', async () => {
    const from = wrongFrom({ trustProxy: true })
    expect([await from('1.1.1.1'), await from('1.1.1.1')]).toEqual([401, 429])
    expect(await from('2.2.2.2, 1.1.1.1')).toBe(429) // what the caller wrote before is not believed
    expect(await from('1.1.1.1, 2.2.2.2')).toBe(401)
    const alone = wrongFrom({})
    expect([await alone('1.1.1.1'), await alone('2.2.2.2')]).toEqual([401, 429]) // without TRUST_PROXY nobody is
  })
})
