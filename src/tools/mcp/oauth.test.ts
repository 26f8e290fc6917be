import pino from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openIssuer } from '../../../test/support/issuer.ts'
import type { Issuer, IssuerManners } from '../../../test/support/issuer.ts'
import { rememberGrants } from '../../../test/support/remember-grants.ts'
import { openOAuth } from './oauth.ts'
import type { GuardedSource } from './port.ts'

const back = { redirectUrl: 'http://127.0.0.1:4100/api/v1/mcp/callback' }

async function open(manners: Partial<IssuerManners> = {}, more: Partial<GuardedSource> = {}) {
  const issuer = await openIssuer(manners)
  onTestFinished(() => issuer.close())
  const store = rememberGrants()
  const { grants, journeys } = store
  const source: GuardedSource = { id: 's1', name: 'acme', url: issuer.mcp.url, scopes: [], ...more }
  const log = pino({ level: 'silent' })
  let oauth = openOAuth({ store, log })
  const find = () => Promise.resolve(source)
  const parametersOf = (location: string) => {
    const { state = '', ...parameters } = Object.fromEntries(new URL(location).searchParams)
    return { state, parameters }
  }
  const authorize = (person = 'ada') => oauth.authorize(source, person, back)
  /** The whole way of somebody who says yes. */
  async function letIn(person = 'ada') {
    const { state, parameters } = parametersOf(
      await issuer.consent((await authorize(person)).authorizationUrl),
    )
    return oauth.authorized(person, state, parameters, find)
  }
  const tokenOf = (person = 'ada') => oauth.authFor(source, person).token()
  /** Asks the server as a transport does: with the token, and once more when it is refused. */
  async function ask(person = 'ada', tool = 'who_am_i'): Promise<number> {
    const auth = oauth.authFor(source, person)
    const send = async () => {
      const token = await auth.token()
      return fetch(issuer.mcp.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool } }),
      })
    }
    const response = await send()
    if (response.status !== 401) return response.status
    await auth.onUnauthorized({ response, serverUrl: new URL(issuer.mcp.url), fetchFn: fetch })
    return (await send()).status
  }
  const restart = () => void (oauth = openOAuth({ store, log }))
  return {
    issuer,
    source,
    store,
    grants,
    journeys,
    oauth: () => oauth,
    find,
    parametersOf,
    authorize,
    letIn,
    tokenOf,
    ask,
    restart,
  }
}

/** A token that was obtained long ago, as far as we know. */
function ageGrants(grants: Map<string, unknown>): void {
  for (const grant of grants.values()) (grant as { obtainedAt: number }).obtainedAt -= 60_000
}

const times = (issuer: Issuer) =>
  issuer.asked.filter(({ body }) => body['grant_type'] === 'refresh_token').length

describe('letting Signalbox in', () => {
  it('gives each person a token of their own, which outlives a restart', async () => {
    const box = await open()
    expect(await box.tokenOf()).toBeUndefined()
    await box.letIn('ada')
    const token = await box.tokenOf('ada')
    expect(token).toMatch(/^access-/)
    expect(await box.tokenOf('bob')).toBeUndefined()
    box.restart()
    expect(await box.tokenOf('ada')).toBe(token)
    expect(await box.ask('ada')).toBe(200)
    await expect(box.ask('bob')).rejects.toMatchObject({ reason: 'source_unauthorized' })
  })

  it('asks for a code with PKCE, for this server alone, and what the server wants', async () => {
    const box = await open({}, { scopes: ['mail'] })
    box.issuer.mcp.wants.scope = 'read'
    const { searchParams } = new URL((await box.authorize()).authorizationUrl)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: back.redirectUrl,
      resource: box.issuer.mcp.url,
      scope: 'mail read',
    })
    expect(searchParams.get('state')).toMatch(/^sbstate_.{43}$/)
  })

  it('uses what the owner has registered, and registers nothing itself', async () => {
    const box = await open({ registers: false }, { clientId: 'by-hand', clientSecret: 'hush' })
    await box.letIn()
    expect(box.issuer.times('/register')).toBe(0)
    const basic = `Basic ${Buffer.from('by-hand:hush').toString('base64')}`
    expect(box.issuer.asked).toMatchObject([{ path: '/token', authorization: basic }])
  })

  it('registers once for a person, and again when they come back by another address', async () => {
    const box = await open()
    await box.letIn()
    await box.letIn()
    expect(box.issuer.times('/register')).toBe(1)
    await box
      .oauth()
      .authorize(box.source, 'ada', { redirectUrl: 'http://localhost:4100/api/v1/mcp/callback' })
    expect(box.issuer.times('/register')).toBe(2)
  })
})

describe('coming back', () => {
  it('works once', async () => {
    const box = await open()
    const { state, parameters } = box.parametersOf(
      await box.issuer.consent((await box.authorize()).authorizationUrl),
    )
    await box.oauth().authorized('ada', state, parameters, box.find)
    await expect(box.oauth().authorized('ada', state, parameters, box.find)).rejects.toThrow(
      'was used already',
    )
  })

  it('is refused to whoever did not begin, and nobody gets anything', async () => {
    const box = await open()
    const { state, parameters } = box.parametersOf(
      await box.issuer.consent((await box.authorize('mallory')).authorizationUrl),
    )
    const lured = box.oauth().authorized('ada', state, parameters, box.find)
    await expect(lured).rejects.toThrow('somebody else who began this')
    expect(box.issuer.times('/token')).toBe(0)
    expect([await box.tokenOf('mallory'), await box.tokenOf('ada')]).toEqual([undefined, undefined])
    const late = box.oauth().authorized('mallory', state, parameters, box.find)
    await expect(late).rejects.toThrow('was used already')
  })

  it('does nothing with a state that is not ours', async () => {
    const box = await open()
    await box.authorize()
    const guess = box.oauth().authorized('ada', 'sbstate_guessed', { code: 'stolen' }, box.find)
    await expect(guess).rejects.toThrow('is not known')
    expect(box.issuer.times('/token')).toBe(0)
  })

  it('proves that it is us who began: a code of another journey is worth nothing', async () => {
    const box = await open()
    const theirs = box.parametersOf(await box.issuer.consent((await box.authorize('eve')).authorizationUrl))
    const ours = box.parametersOf(await box.issuer.consent((await box.authorize('ada')).authorizationUrl))
    const mixed = box.oauth().authorized('ada', ours.state, theirs.parameters, box.find)
    await expect(mixed).rejects.toThrow('invalid_grant')
    expect(await box.tokenOf('ada')).toBeUndefined()
  })

  it.each(['wrong', 'none'] as const)('sends no code when the issuer that comes back is %s', async (iss) => {
    const box = await open()
    const { authorizationUrl } = await box.authorize()
    box.issuer.manners.iss = iss
    const { state, parameters } = box.parametersOf(await box.issuer.consent(authorizationUrl))
    const arrival = box.oauth().authorized('ada', state, parameters, box.find)
    await expect(arrival).rejects.toThrow('not from the issuer that was asked')
    expect(box.issuer.times('/token')).toBe(0)
    expect(await box.tokenOf()).toBeUndefined()
  })

  it('believes no refusal of somebody who speaks for another issuer', async () => {
    const box = await open({ iss: 'wrong', denies: true })
    const { state, parameters } = box.parametersOf(
      await box.issuer.consent((await box.authorize()).authorizationUrl),
    )
    const error = await box.oauth().authorized('ada', state, parameters, box.find).catch(String)
    expect(error).toContain('not from the issuer that was asked')
    expect(error).not.toContain('not today')
  })

  it('tells what the issuer said when it said no', async () => {
    const box = await open({ denies: true })
    await expect(box.letIn()).rejects.toThrow('You were not let in (access_denied:')
  })

  it('is refused when the source has another address by then', async () => {
    const box = await open()
    const { state, parameters } = box.parametersOf(
      await box.issuer.consent((await box.authorize()).authorizationUrl),
    )
    const moved = () => Promise.resolve({ ...box.source, url: 'https://elsewhere.example/mcp' })
    await expect(box.oauth().authorized('ada', state, parameters, moved)).rejects.toThrow('was changed')
    expect(box.issuer.times('/token')).toBe(0)
  })
})

describe('an issuer that misbehaves', () => {
  it.each([
    ['calls itself by another name', { callsItself: 'https://evil.example' }, 'not from the issuer'],
    ['has no PKCE', { challengeMethods: undefined }, 'does not support PKCE'],
    ['has PKCE in name only', { challengeMethods: ['plain'] }, 'does not support PKCE'],
    ['takes nobody new', { registers: false }, 'Register Signalbox there by hand'],
    ['sends people to a script', { authorizationEndpoint: 'javascript:alert(1)' }, ''],
    ['sends people where anybody can listen', { authorizationEndpoint: 'http://plain.example/' }, 'https'],
  ])('is left alone when it %s', async (_what, manners, told) => {
    const box = await open(manners)
    await expect(box.authorize()).rejects.toThrow(told || 'could not be let in')
    expect(box.journeys.size).toBe(0)
  })

  it('gets no code sent on to another host', async () => {
    const elsewhere = await openIssuer()
    onTestFinished(() => elsewhere.close())
    const box = await open({ tokensElsewhere: `${elsewhere.url}/token` })
    await expect(box.letIn()).rejects.toThrow('could not be let in')
    expect(elsewhere.asked).toEqual([])
  })

  it('cannot make us ask what listens on this machine, when it is elsewhere itself', async () => {
    const { checkAddress } = await import('./oauth-fetch.ts')
    expect(() => checkAddress('http://127.0.0.1:4100/token', 'https://mcp.example/')).toThrow('this machine')
    expect(() => checkAddress('https://localhost/token', 'https://mcp.example/')).toThrow('this machine')
    expect(() => checkAddress('http://10.0.0.1/token', 'http://127.0.0.1/')).toThrow('https')
    expect(checkAddress('https://id.example/token', 'https://mcp.example/').href).toBe(
      'https://id.example/token',
    )
  })
})

describe('a token that has expired', () => {
  it('is replaced once, however many calls need it at the same time', async () => {
    const box = await open({ slowMs: 50 })
    await box.letIn()
    ageGrants(box.grants)
    box.restart()
    box.issuer.expireAll()
    const statuses = await Promise.all(Array.from({ length: 20 }, () => box.ask()))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(times(box.issuer)).toBe(1)
  })

  it('is replaced before it is used, when its time is known', async () => {
    const box = await open({ tokenLifeSec: 50 })
    await box.letIn()
    ageGrants(box.grants)
    box.restart()
    const shown = box.issuer.mcp.shown.length
    expect(await Promise.all([box.ask(), box.ask(), box.ask()])).toEqual([200, 200, 200])
    expect(times(box.issuer)).toBe(1)
    expect(box.issuer.mcp.shown.length - shown).toBe(3)
  })

  it('is kept before it is used: what the database did not take is not lost either', async () => {
    const box = await open()
    await box.letIn()
    ageGrants(box.grants)
    box.restart()
    box.issuer.expireAll()
    box.store.isAway = true
    await expect(box.ask()).rejects.toMatchObject({ reason: 'source_unavailable' })
    box.store.isAway = false
    expect(await box.ask()).toBe(200)
    expect(times(box.issuer)).toBe(1)
    box.restart()
    expect(await box.ask()).toBe(200)
  })

  it('ends in a sentence when the issuer gives no other', async () => {
    const box = await open()
    await box.letIn()
    ageGrants(box.grants)
    box.restart()
    box.issuer.expireAll()
    box.issuer.manners.refresh = 'refuses'
    let changes = 0
    box
      .oauth()
      .authFor(box.source, 'ada')
      .onChange(() => (changes += 1))
    await expect(box.ask()).rejects.toMatchObject({
      reason: 'source_unauthorized',
      message:
        'It does not let us in: its issuer said no (invalid_grant). Open Tools and let Signalbox in, or POST /api/v1/mcp/acme/authorize.',
    })
    expect(changes).toBe(1)
    expect(await box.tokenOf()).toBeUndefined()
    box.issuer.manners.refresh = 'rotates'
    await box.letIn()
    expect(await box.ask()).toBe(200)
  })

  it('is not given up when the issuer is only broken', async () => {
    const box = await open()
    await box.letIn()
    ageGrants(box.grants)
    box.restart()
    box.issuer.expireAll()
    box.issuer.manners.refresh = 'breaks'
    await expect(box.ask()).rejects.toMatchObject({ reason: 'source_unavailable' })
    box.issuer.manners.refresh = 'rotates'
    expect(await box.ask()).toBe(200)
  })

  it('is not shown to an issuer that the server names all at once', async () => {
    const other = await openIssuer()
    onTestFinished(() => other.close())
    const box = await open()
    await box.letIn()
    ageGrants(box.grants)
    box.restart()
    box.issuer.expireAll()
    box.issuer.mcp.issuer = other.url
    await expect(box.ask()).rejects.toThrow('gone over to another issuer')
    expect(other.asked).toEqual([])
  })
})

it('asks for more when the server wants more, without losing what there was', async () => {
  const box = await open()
  box.issuer.mcp.wants.scope = 'read'
  await box.letIn()
  expect(await box.ask('ada', 'administer')).toBe(403)
  const told = await box.oauth().authFor(box.source, 'ada').needsScope('admin')
  expect(told).toContain('this needs admin, which was not given')
  const { authorizationUrl } = await box.authorize()
  expect(new URL(authorizationUrl).searchParams.get('scope')?.split(' ').toSorted()).toEqual([
    'admin',
    'read',
  ])
  await box.letIn()
  expect(await box.ask('ada', 'administer')).toBe(200)
})

it('drops what is taken back, and says so to the issuer', async () => {
  const box = await open()
  await box.letIn()
  const token = await box.tokenOf()
  await box.oauth().revoke(box.source, 'ada')
  expect(await box.tokenOf()).toBeUndefined()
  expect(box.grants.size).toBe(0)
  expect(box.issuer.revoked).toEqual([expect.stringMatching(/^refresh-/), token])
})
