import { z } from 'zod'
import { beforeEach, describe, expect, it } from 'vitest'
import { dataOf, openAuth } from '../../test/support/auth.ts'
import { Browser } from '#contract/access.ts'
import { newId } from '#lib/id.ts'

let box: Awaited<ReturnType<typeof openAuth>>
beforeEach(async () => {
  box = await openAuth()
})
const seen = async (token: string) => dataOf(await box.ask('GET', '/auth/browsers', token), z.array(Browser))
const login = async (token: string, agent: string) => {
  const answer = await box.ask('POST', '/auth/session', token, {}, { 'user-agent': agent })
  return (await dataOf(answer, z.object({ sessionKey: z.string() }))).sessionKey
}

describe('browsers that are logged in', () => {
  it('are everybody’s for the owner, and their own for others', async () => {
    const ada = await box.addUser('Ada')
    const bob = await box.addUser('Bob')
    const [atDesk, onPhone] = [await login(ada.token, 'Desk'), await login(ada.token, 'Phone')]
    await login(bob.token, 'Laptop')
    const mine = await login(box.ownerToken, 'Mine\u0085no')
    expect((await seen(mine)).map(({ name, browser, isThis }) => [name, browser, isThis])).toEqual([
      ['Owner', 'Mine\\u0085no', true],
      ['Bob', 'Laptop', false],
      ['Ada', 'Phone', false],
      ['Ada', 'Desk', false],
    ])
    expect((await seen(onPhone)).map(({ browser, isThis, who }) => [browser, isThis, who])).toEqual([
      ['Phone', true, ada.id],
      ['Desk', false, ada.id],
    ])
    expect((await seen(ada.token)).every(({ isThis }) => !isThis)).toBe(true)
    expect(JSON.stringify(await seen(mine))).not.toContain(atDesk)
  })

  it('are logged out by whose they are, or by the owner, and by nobody else', async () => {
    const [ada, bob] = [await box.addUser('Ada'), await box.addUser('Bob', ['admin', 'board'])]
    const key = await login(ada.token, 'Desk')
    const [{ id } = { id: '' }] = await seen(key)
    expect(await box.status('DELETE', `/auth/browsers/${id}`, bob.token)).toBe(404)
    expect(await box.status('GET', '/auth/whoami', key)).toBe(200)
    expect(await box.status('DELETE', `/auth/browsers/${id}`, box.ownerToken)).toBe(204)
    expect(await box.status('GET', '/auth/whoami', key)).toBe(401)
    expect(await box.status('DELETE', `/auth/browsers/${id}`, box.ownerToken)).toBe(404)
    expect(await box.status('DELETE', `/auth/browsers/${newId()}`, ada.token)).toBe(404)
    expect(await box.status('DELETE', '/auth/browsers/x', ada.token)).toBe(422)
    expect(await box.status('GET', '/auth/whoami', ada.token)).toBe(200)
  })

  it('are never tokens: those are replaced, not logged out', async () => {
    await box.login(box.ownerToken)
    const tokens = await box.pool.db.$client.query<{ id: string }>(
      "select id from tokens where kind = 'owner'",
    )
    expect(await box.status('DELETE', `/auth/browsers/${tokens.rows[0]?.id}`, box.ownerToken)).toBe(404)
    expect(await box.status('GET', '/auth/whoami', box.ownerToken)).toBe(200)
  })
})
