import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { openAuthorization } from '../../test/support/authorization.ts'
import { asPrincipal, owner } from '#domain/access.ts'
import { sourceAuthorizations, sourceGrants } from '#db/schema.ts'
import { insertUser } from '#db/users.ts'
import { deleteUser } from '#flows/delete-user.ts'
import { newId } from '#lib/id.ts'

const ada = asPrincipal({ id: newId(), name: 'Ada', scopes: ['tools'] })
const bob = asPrincipal({ id: newId(), name: 'Bob', scopes: ['tools'] })

async function open() {
  const box = await openAuthorization()
  const id = await box.addSource('acme')
  const authorize = async (who = ada) => {
    const { data, error } = await box.as(who, 'POST', '/mcp/acme/authorize')
    if (!data) throw new Error(JSON.stringify(error))
    return data
  }
  const comeBack = (location: string, who = ada) => box.comeBack(location, who)
  const token = (who = ada) => box.tokenOf(id, 'acme', who)
  return { ...box, id, authorize, comeBack, token }
}

describe('letting Signalbox in by the browser', () => {
  it('goes to the issuer and back, and is for whoever began', async () => {
    const box = await open()
    const { authorizationUrl, expiresAt } = await box.authorize()
    const left = Date.parse(expiresAt) - Date.now()
    expect(left).toBeGreaterThan(9 * 60_000)
    expect(left).toBeLessThan(11 * 60_000)
    const redirect = new URL(authorizationUrl).searchParams.get('redirect_uri')
    expect(redirect).toBe(`${box.web.url}/api/v1/mcp/callback`)

    const back = await box.comeBack(await box.issuer.consent(authorizationUrl))
    expect(back).toEqual({ status: 200, data: { name: 'acme' } })
    expect(await box.token(ada)).toMatch(/^access-/)
    expect(await box.token(bob)).toBeUndefined()
  })

  it('redeems nothing for a browser that only follows a link, and leads it to the page', async () => {
    const box = await open()
    const location = await box.issuer.consent((await box.authorize()).authorizationUrl)
    const { status, headers, page } = await box.follow(location)
    const query = new URL(location).search.slice(1)
    expect([status, headers.location, page]).toEqual([
      303,
      `/authorized#back=${encodeURIComponent(query)}`,
      '',
    ])
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(box.issuer.times('/token')).toBe(0)
    expect(await box.token()).toBeUndefined()
  })

  it.each([bob, owner, { ...ada, kind: 'agent' as const, id: 'agent:7' }])(
    'gives nobody anything when another than who began comes back: $name ($kind)',
    async (lured) => {
      const box = await open()
      const location = await box.issuer.consent((await box.authorize(ada)).authorizationUrl)
      expect(await box.comeBack(location, lured)).toMatchObject({
        status: 403,
        error: {
          code: 'forbidden',
          message: expect.stringMatching(/somebody else who began this.*open Tools/),
        },
      })
      expect([await box.token(ada), await box.token(lured)]).toEqual([undefined, undefined])
      expect(box.issuer.times('/token')).toBe(0)
      expect((await box.comeBack(location, ada)).status).toBe(400)
    },
  )

  it('keeps nothing that can be read', async () => {
    const box = await open()
    const { authorizationUrl } = await box.authorize()
    const [departed] = await box.pool.db.select().from(sourceAuthorizations)
    const state = new URL(authorizationUrl).searchParams.get('state') ?? ''
    expect(JSON.stringify(departed)).not.toContain(state)
    await box.comeBack(await box.issuer.consent(authorizationUrl))
    const [grant] = await box.pool.db.select().from(sourceGrants)
    expect(grant?.principalId).toBe(ada.id)
    expect(grant?.secrets.toString('latin1')).not.toMatch(/access-|refresh-|client-/)
    expect(await box.pool.db.select().from(sourceAuthorizations)).toEqual([])
  })

  it('opens no grant that was moved to another person', async () => {
    const box = await open()
    await box.comeBack(await box.issuer.consent((await box.authorize()).authorizationUrl))
    await box.pool.db.execute(sql`update source_grants set principal_id = ${bob.id}`)
    await expect(box.token(bob)).rejects.toThrow('cannot be opened')
  })

  it('comes back once', async () => {
    const box = await open()
    const location = await box.issuer.consent((await box.authorize()).authorizationUrl)
    expect((await box.comeBack(location)).status).toBe(200)
    const again = await box.comeBack(location)
    expect(again).toMatchObject({ status: 400, error: { code: 'authorization_unknown' } })
    expect(again.error?.message).toContain('it was used already, or is older than ten minutes')
  })

  it('comes back in time', async () => {
    const box = await open()
    const location = await box.issuer.consent((await box.authorize()).authorizationUrl)
    await box.pool.db.execute(sql`update source_authorizations set expires_at = now()`)
    expect((await box.comeBack(location)).status).toBe(400)
    expect(await box.token()).toBeUndefined()
    expect(box.issuer.times('/token')).toBe(0)
  })

  it('of many who come back with the same state at once one gets in', async () => {
    const box = await open()
    const location = await box.issuer.consent((await box.authorize()).authorizationUrl)
    const statuses = await Promise.all([1, 2, 3, 4, 5].map(async () => (await box.comeBack(location)).status))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(box.issuer.times('/token')).toBe(1)
  })

  it.each([
    ['no state', '?code=stolen'],
    ['a state that was guessed', '?code=stolen&state=sbstate_guess'],
    ['the state of another journey twice', (state: string) => `?code=a&state=${state}&state=${state}`],
    ['the code twice', (state: string) => `?code=a&code=b&state=${state}`],
  ])('does nothing with %s', async (_what, query) => {
    const box = await open()
    const state = new URL((await box.authorize()).authorizationUrl).searchParams.get('state') ?? ''
    const location = `${box.web.url}/api/v1/mcp/callback${typeof query === 'string' ? query : query(state)}`
    expect((await box.comeBack(location)).status).toBe(400)
    expect(box.issuer.times('/token')).toBe(0)
  })

  it('tells what the issuer says', async () => {
    const box = await open()
    box.issuer.manners.denies = true
    const back = await box.comeBack(await box.issuer.consent((await box.authorize()).authorizationUrl))
    expect(back).toMatchObject({ status: 502, error: { code: 'authorization_failed' } })
    expect(back.error?.message).toContain('access_denied: <b onclick=alert(1)>not today</b>')
  })

  it('is refused when another issuer answers', async () => {
    const box = await open()
    const { authorizationUrl } = await box.authorize()
    box.issuer.manners.iss = 'wrong'
    const { status, error } = await box.comeBack(await box.issuer.consent(authorizationUrl))
    expect([status, error?.message]).toEqual([
      502,
      expect.stringContaining('not from the issuer that was asked'),
    ])
    expect(await box.token()).toBeUndefined()
  })
})

describe('who may', () => {
  it('needs the scope, and a source that is granted', async () => {
    const box = await open()
    const reader = asPrincipal({ id: newId(), name: 'Eve', scopes: ['board'] })
    expect(await box.as(reader, 'POST', '/mcp/acme/authorize')).toMatchObject({ status: 403 })
    expect(await box.as(reader, 'POST', '/mcp/callback', { query: 'state=x' })).toMatchObject({
      error: { code: 'forbidden' },
    })
    await box.addSource('secret', { grants: ['Bob'] })
    expect(await box.as(ada, 'POST', '/mcp/secret/authorize')).toMatchObject({
      status: 404,
      error: { code: 'source_not_found', message: 'There is no source secret' },
    })
    expect((await box.as(bob, 'POST', '/mcp/secret/authorize')).status).toBe(200)
    expect((await box.as(owner, 'POST', '/mcp/none/authorize')).status).toBe(404)
  })

  it('is a person: an agent has what its person has', async () => {
    const box = await open()
    const agent = { ...ada, kind: 'agent' as const }
    expect(await box.as(agent, 'POST', '/mcp/acme/authorize')).toMatchObject({ error: { code: 'forbidden' } })
    expect(await box.as(agent, 'DELETE', '/mcp/acme/authorization')).toMatchObject({ status: 403 })
  })

  it('is told where nobody needs to be let in', async () => {
    const box = await open()
    await box.addSource('plain', { auth: { type: 'bearer', token: 'x', scopes: [] } })
    const answer = await box.as(ada, 'POST', '/mcp/plain/authorize')
    expect([answer.status, answer.error?.message]).toEqual([422, expect.stringContaining('auth.type oauth')])
  })
})

it('is taken back here and there', async () => {
  const box = await open()
  await box.comeBack(await box.issuer.consent((await box.authorize()).authorizationUrl))
  const token = await box.token()
  expect((await box.as(ada, 'DELETE', '/mcp/acme/authorization')).status).toBe(204)
  expect(await box.token()).toBeUndefined()
  expect(box.issuer.revoked).toContain(token)
  expect(await box.pool.db.select().from(sourceGrants)).toEqual([])
  expect((await box.as(ada, 'DELETE', '/mcp/acme/authorization')).status).toBe(204)
})

it('goes with the user', async () => {
  const box = await open()
  const gone = { ...bob, id: newId() }
  await box.pool.transaction((tx) => insertUser(tx, { id: gone.id, name: 'Gone', scopes: ['tools'] }))
  for (const who of [ada, gone])
    await box.comeBack(await box.issuer.consent((await box.authorize(who)).authorizationUrl), who)
  await box.authorize(gone)
  await box.pool.transaction((tx) => deleteUser(tx, owner, gone.id))
  expect(await box.pool.db.select().from(sourceGrants)).toMatchObject([{ principalId: ada.id }])
  expect(await box.pool.db.select().from(sourceAuthorizations)).toEqual([])
})

describe('who Signalbox is, for issuers', () => {
  it('is told at an https address', async () => {
    const box = await openAuthorization('https://box.example')
    const at = `${box.web.url}/api/v1/mcp/client.json`
    const client = await (await fetch(at)).json()
    expect(client).toMatchObject({
      client_id: 'https://box.example/api/v1/mcp/client.json',
      redirect_uris: ['https://box.example/api/v1/mcp/callback'],
      token_endpoint_auth_method: 'none',
    })
    await box.addSource('acme')
    const { data } = await box.as(ada, 'POST', '/mcp/acme/authorize')
    expect(new URL(data?.authorizationUrl ?? '').searchParams.get('redirect_uri')).toBe(
      'https://box.example/api/v1/mcp/callback',
    )
  })

  it('is told nowhere else', async () => {
    const box = await openAuthorization()
    expect((await fetch(`${box.web.url}/api/v1/mcp/client.json`)).status).toBe(404)
  })
})
