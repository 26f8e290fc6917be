import { beforeEach, describe, expect, it } from 'vitest'
import { dataOf, openAuth } from '../../test/support/auth.ts'
import { CreatedUser, User } from '#contract/access.ts'

let box: Awaited<ReturnType<typeof openAuth>>
beforeEach(async () => {
  box = await openAuth()
})

describe('users', () => {
  it('are the owner’s alone, whatever scopes others have', async () => {
    const { token, id } = await box.addUser('Almost', ['admin', 'board', 'run'])
    for (const [method, path, body] of [
      ['GET', '/users'],
      ['POST', '/users', { name: 'Eve' }],
      ['DELETE', `/users/${id}`],
      ['POST', `/users/${id}/token`],
      ['PATCH', `/users/${id}`, { scopes: ['admin', 'run', 'approve'] }],
    ] as const)
      expect(await box.status(method, path, token, body)).toBe(403)
    expect(await box.status('GET', '/users', (await box.login(token)).sessionKey)).toBe(403)
  })

  it('are listed by name, without their tokens', async () => {
    await box.addUser('Bob')
    const ada = await box.addUser('Ada', ['run', 'run', 'board'])
    const answer = await box.ask('GET', '/users?pageSize=1', box.ownerToken)
    const { token, ...user } = ada
    expect(await answer.json()).toEqual({ data: [user], meta: { total: 2, page: 1, pageSize: 1 } })
    expect(user.scopes).toEqual(['board', 'run'])
    expect(token).toMatch(/^sbuser_[\w-]{43}$/)
  })

  it.each([
    [{}],
    [{ name: '' }],
    [{ name: 'a\nb' }],
    [{ name: 'a\0' }],
    [{ name: '\u202eadA' }],
    [{ name: 'x'.repeat(101) }],
    [{ name: 'Ada', scopes: ['root'] }],
    [{ name: 'Ada', admin: true }],
  ])('are not made from %j', async (body) => {
    expect(await box.status('POST', '/users', box.ownerToken, body)).toBe(422)
  })

  it('have names of their own, also when two are added at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => box.status('POST', '/users', box.ownerToken, { name: 'Ada' })),
    )
    expect(answers.toSorted((one, other) => one - other)).toEqual([201, 409, 409, 409, 409])
  })

  it('cannot be taken for the owner', async () => {
    for (const name of ['Owner', 'owner', 'OWNER'])
      expect(await box.status('POST', '/users', box.ownerToken, { name })).toBe(409)
  })

  it('are renamed and given other scopes, which hold at the very next request', async () => {
    const { id, token } = await box.addUser('Ada', ['tools', 'code'])
    const { sessionKey } = await box.login(token)
    const { ticket } = await box.ticketFor(token)
    expect(await box.status('GET', '/tools', sessionKey)).toBe(200)
    const changed = await box.ask('PATCH', `/users/${id}`, box.ownerToken, { scopes: ['board', 'board'] })
    expect(await dataOf(changed, User)).toMatchObject({ id, name: 'Ada', scopes: ['board'] })
    expect(await box.status('GET', '/tools', sessionKey)).toBe(403)
    expect(await box.status('GET', '/tools', token)).toBe(403)
    expect(await box.status('GET', `/sse/board?ticket=${ticket}`)).toBe(401)
    expect(await box.status('GET', '/sse/board', sessionKey)).toBe(200)
    const renamed = await box.ask('PATCH', `/users/${id}`, box.ownerToken, { name: 'Ada L.' })
    expect(await dataOf(renamed, User)).toMatchObject({ name: 'Ada L.', scopes: ['board'] })
  })

  it('cannot be changed into others, or into what there is not', async () => {
    const { id } = await box.addUser('Ada')
    await box.addUser('Bob')
    const status = (body: object, of = id) => box.status('PATCH', `/users/${of}`, box.ownerToken, body)
    expect(await status({ name: 'Bob' })).toBe(409)
    expect(await status({ name: 'owner' })).toBe(409)
    expect(await status({ name: 'Ada' })).toBe(200)
    expect(await status({ scopes: ['root'] })).toBe(422)
    expect(await status({ name: '' })).toBe(422)
    expect(await status({ token: 'x' })).toBe(422)
    expect(await status({ name: 'Eve' }, '0198a8a0-0000-7000-8000-000000000000')).toBe(404)
  })

  it('are gone at the very next request, with all they had', async () => {
    const { id, token } = await box.addUser('Ada', ['board'])
    const { sessionKey } = await box.login(token)
    const { ticket } = await box.ticketFor(token)
    expect(await box.status('GET', '/auth/whoami', token)).toBe(200)
    expect(await box.status('DELETE', `/users/${id}`, box.ownerToken)).toBe(204)
    expect(await box.status('GET', '/auth/whoami', token)).toBe(401)
    expect(await box.status('GET', '/auth/whoami', sessionKey)).toBe(401)
    expect(await box.status('GET', `/sse/board?ticket=${ticket}`)).toBe(401)
    expect(await box.status('DELETE', `/users/${id}`, box.ownerToken)).toBe(404)
    expect(await box.status('DELETE', '/users/owner', box.ownerToken)).toBe(422)
  })

  it('get a new token, and then the old one opens nothing', async () => {
    const { id, token } = await box.addUser('Ada', ['board'])
    const { sessionKey } = await box.login(token)
    const { ticket } = await box.ticketFor(token)
    const next = await dataOf(await box.ask('POST', `/users/${id}/token`, box.ownerToken), CreatedUser)
    expect(next).toMatchObject({ id, name: 'Ada', scopes: ['board'] })
    expect(await box.status('GET', '/auth/whoami', next.token)).toBe(200)
    expect(await box.status('GET', '/auth/whoami', token)).toBe(401)
    expect(await box.status('GET', '/auth/whoami', sessionKey)).toBe(401)
    expect(await box.status('GET', `/sse/board?ticket=${ticket}`)).toBe(401)
    expect(
      await box.status('POST', '/users/01890000-0000-7000-8000-000000000000/token', box.ownerToken),
    ).toBe(404)
  })

  it('end up with one token, also when it is renewed many times at once', async () => {
    const { id } = await box.addUser('Ada')
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => box.status('POST', `/users/${id}/token`, box.ownerToken)),
    )
    expect(answers).toEqual([201, 201, 201, 201, 201])
    expect(await box.count('tokens')).toBe(2)
  })
})
