import { createHmac } from 'node:crypto'
import { SignJWT, base64url, exportJWK, exportSPKI, generateKeyPair } from 'jose'
import type { CryptoKey, JWK } from 'jose'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkDiscovery } from './issuer-keys.ts'
import { openJwtVerifier } from './jwt.ts'

const secret = 'a secret of thirty-two bytes....'
const key = new TextEncoder().encode(secret)
const audience = 'signalbox'
const inAMinute = () => Math.floor(Date.now() / 1000) + 60

const sign = (
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
  signer: CryptoKey | Uint8Array = key,
) =>
  new SignJWT({ sub: 'ada', exp: inAMinute(), ...claims })
    .setProtectedHeader({ alg: 'HS256', ...header })
    .sign(signer)

/** A token made by hand, as a forger would. */
function forge(header: object, claims: object, signature: (signed: string) => string = () => ''): string {
  const signed = [header, claims].map((part) => base64url.encode(JSON.stringify(part))).join('.')
  return `${signed}.${signature(signed)}`
}

const refused = { code: 'unauthenticated', message: 'The token is not valid', context: undefined }

describe('a JWT signed with the shared secret', () => {
  const verify = openJwtVerifier({ jwtSecret: secret })

  it('says who comes, and with which scopes', async () => {
    const exp = inAMinute()
    const token = await sign({ exp, name: 'Ada Lovelace', scope: 'board run launch-missiles' })
    expect(await verify(token)).toEqual({
      principal: { id: 'jwt:ada', kind: 'user', name: 'Ada Lovelace', scopes: ['board', 'run'] },
      expiresAt: new Date(exp * 1000),
    })
  })

  it.each([
    [{ scp: ['tools', 'admin', 7] }, ['tools', 'admin']],
    [{ scopes: ['chat'] }, ['chat']],
    [{ scp: 'code' }, ['code']],
    [{ scope: { board: true } }, []],
    [{}, []],
  ])('reads scopes from %j', async (claims, scopes) => {
    expect((await verify(await sign(claims))).principal.scopes).toEqual(scopes)
  })

  it.each([
    ['signed with another secret', () => sign({}, {}, new TextEncoder().encode(secret.toUpperCase()))],
    [
      'of an algorithm we do not offer',
      () => forgeSigned({ sub: 'ada', exp: inAMinute() }, { alg: 'HS512' }, 'sha512'),
    ],
    ['with no algorithm', () => forge({ alg: 'none' }, { sub: 'ada', exp: inAMinute() })],
    ['with no algorithm, in capitals', () => forge({ alg: 'NONE' }, { sub: 'ada', exp: inAMinute() })],
    ['with its signature cut off', async () => (await sign({})).replace(/[^.]*$/, '')],
    ['that is not valid yet', () => sign({ nbf: inAMinute() })],
    ['without an expiry', () => sign({ exp: undefined })],
    ['with an expiry in words', () => forgeSigned({ sub: 'ada', exp: 'tomorrow' })],
    ['without a subject', () => sign({ sub: undefined })],
    ['with an empty subject', () => sign({ sub: '' })],
    ['with a subject of spaces around', () => sign({ sub: ' ada' })],
    ['with a NUL in the subject', () => sign({ sub: 'ada\0' })],
    ['with half a character in the subject', () => forgeSigned({ sub: '\ud800', exp: inAMinute() })],
    ['with a long subject', () => sign({ sub: 'a'.repeat(201) })],
    ['with a number for a subject', () => forgeSigned({ sub: 7, exp: inAMinute() })],
    ['for an audience, when we have no name', () => sign({ aud: 'somebody-else' })],
    ['with an empty list of audiences', () => sign({ aud: [] })],
    [
      'that asks for an extension nobody knows',
      () => forgeSigned({ sub: 'ada', exp: inAMinute() }, { crit: ['x'], x: 1 }),
    ],
    ['of another type', () => sign({}, { typ: 'logout+jwt' })],
    ['whose claims are a list', () => forgeSigned([])],
    ['that is no token at all', () => 'a.b.c'],
    ['of three dots', () => '...'],
  ])('opens nothing %s', async (_, made) => {
    await expect(verify(await made())).rejects.toMatchObject(refused)
  })

  it('says that a token has expired, to the second', async () => {
    const gone = { code: 'unauthenticated', message: 'The token has expired' }
    await expect(verify(await sign({ exp: inAMinute() - 3600 }))).rejects.toMatchObject(gone)
    await expect(verify(await sign({ exp: inAMinute() - 60 }))).rejects.toMatchObject(gone)
  })

  it('bears a clock that is a little ahead', async () => {
    await expect(verify(await sign({ nbf: inAMinute() - 58 }))).resolves.toBeDefined()
  })

  it('bears an expiry beyond all calendars', async () => {
    const { expiresAt } = await verify(await sign({ exp: 1e300 }))
    expect(expiresAt.toISOString()).toBe('9999-12-31T00:00:00.000Z')
  })

  it('opens nothing for another type of header', async () => {
    const odd = forge({ alg: 'HS256', typ: 7 }, { sub: 'ada', exp: inAMinute() }, hmac)
    await expect(verify(odd)).rejects.toMatchObject(refused)
  })

  it('is held to the audience when one is set', async () => {
    const strict = openJwtVerifier({ jwtSecret: secret, audience })
    await expect(strict(await sign({ aud: ['other', audience] }))).resolves.toBeDefined()
    await expect(strict(await sign({ aud: 'other' }))).rejects.toMatchObject(refused)
    await expect(strict(await sign({}))).rejects.toMatchObject(refused)
  })

  it('can be switched off', async () => {
    const off = openJwtVerifier({ jwtSecret: secret, provider: 'token' })
    await expect(off(await sign({}))).rejects.toMatchObject(refused)
  })

  it('needs a secret that cannot be guessed', () => {
    expect(() => openJwtVerifier({ jwtSecret: 'short' })).toThrow('at least 32 bytes')
  })

  const hmac = (signed: string, hash = 'sha256') =>
    createHmac(hash, secret).update(signed).digest('base64url')
  const forgeSigned = (claims: object, header: object = {}, hash = 'sha256') =>
    forge({ alg: 'HS256', ...header }, claims, (signed) => hmac(signed, hash))
})

describe('a JWT of an OpenID issuer', () => {
  let server: Server
  let issuer: string
  let keys: JWK[]
  let requests: number
  let broken: 'no' | 'status' | 'nonsense' | 'other issuer' | 'redirect'
  let now: number
  let ownKey: CryptoKey
  let publicKey: CryptoKey

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests += 1
      const discovery = request.url?.includes('openid-configuration')
      if (broken === 'status') response.statusCode = 500
      if (broken === 'redirect' && !request.url?.startsWith('/moved'))
        response.writeHead(302, { location: `${issuer}/moved${request.url}` })
      const document = {
        issuer: broken === 'other issuer' ? `${issuer}/evil` : issuer,
        jwks_uri: `${issuer}/keys`,
      }
      response.end(broken === 'nonsense' ? '<html>' : JSON.stringify(discovery ? document : { keys }))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    issuer = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })

  beforeEach(async () => {
    keys = []
    requests = 0
    broken = 'no'
    now = Date.now()
    ;({ privateKey: ownKey, publicKey } = await addKey('first'))
  })

  async function addKey(kid: string, alg = 'RS256') {
    const pair = await generateKeyPair(alg, { extractable: true })
    keys.push({ ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' })
    return pair
  }
  const open = (more: object = {}) => openJwtVerifier({ issuer, audience, ...more }, () => now)
  const issued = (claims: Record<string, unknown> = {}, header: object = {}, signer = ownKey) =>
    sign(
      { iss: issuer, aud: audience, exp: Math.floor(now / 1000) + 7200, ...claims },
      { alg: 'RS256', kid: 'first', ...header },
      signer,
    )

  it('is accepted, and the keys are fetched once for many', async () => {
    const verify = open()
    const token = await issued({ scope: 'board' })
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => verify(token)))
    expect(new Set(verdicts.map((verdict) => verdict.principal.id))).toEqual(new Set(['jwt:ada']))
    expect(requests).toBe(2)
  })

  it.each(['ES256', 'EdDSA', 'PS256'])('may be signed by %s', async (alg) => {
    const { privateKey } = await addKey('other', alg)
    await expect(open()(await issued({}, { alg, kid: 'other' }, privateKey))).resolves.toBeDefined()
  })

  it.each<[string, () => Promise<string>]>([
    ['of another issuer', () => issued({ iss: 'https://evil.example' })],
    ['without an issuer', () => issued({ iss: undefined })],
    ['for another audience', () => issued({ aud: 'other' })],
    ['for no audience', () => issued({ aud: undefined })],
    ['signed by somebody else', async () => issued({}, {}, (await generateKeyPair('RS256')).privateKey)],
    [
      'that brings its own key',
      async () => {
        const own = await generateKeyPair('RS256', { extractable: true })
        return issued({}, { kid: undefined, jwk: await exportJWK(own.publicKey) }, own.privateKey)
      },
    ],
    [
      'that takes the public key for a secret',
      async () => {
        const pem = await exportSPKI(publicKey)
        return forge(
          { alg: 'HS256', kid: 'first' },
          { sub: 'ada', iss: issuer, aud: audience, exp: inAMinute() },
          (signed) => createHmac('sha256', pem).update(signed).digest('base64url'),
        )
      },
    ],
    [
      'with no algorithm',
      async () =>
        forge({ alg: 'none', kid: 'first' }, { sub: 'ada', iss: issuer, aud: audience, exp: inAMinute() }),
    ],
  ])('opens nothing %s', async (_, made) => {
    await expect(open()(await made())).rejects.toMatchObject(refused)
    await expect(open({ jwtSecret: secret })(await made())).rejects.toMatchObject(refused)
  })

  it('is accepted after the issuer has rotated its keys, and the old key is not', async () => {
    const verify = open()
    const old = await issued()
    await verify(old)
    keys = []
    const { privateKey } = await addKey('second')
    const token = await issued({}, { kid: 'second' }, privateKey)
    now += 29_000
    await expect(verify(token)).rejects.toMatchObject(refused) // the issuer was asked just now
    now += 2_000
    await expect(verify(token)).resolves.toBeDefined()
    await expect(verify(old)).rejects.toMatchObject(refused)
  })

  it('does not make us call the issuer for every made-up key', async () => {
    const verify = open()
    const forged = await issued({}, { kid: 'made up' })
    for (let i = 0; i < 10; i += 1) await expect(verify(forged)).rejects.toMatchObject(refused)
    expect(requests).toBe(2)
  })

  it.each(['status', 'nonsense', 'other issuer', 'redirect'] as const)(
    'cannot be judged when the issuer answers wrongly (%s)',
    async (how) => {
      broken = how
      const verify = open()
      const token = await issued()
      for (let i = 0; i < 5; i += 1)
        await expect(verify(token)).rejects.toMatchObject({
          code: 'issuer_unavailable',
          context: { missing: 'identity provider', issuer },
        })
      expect(requests).toBe(1) // and it is not asked again at once
      broken = 'no'
      now += 31_000
      await expect(verify(token)).resolves.toBeDefined()
    },
  )

  it('cannot be judged when nobody answers at the issuer', async () => {
    const verify = openJwtVerifier({ issuer: 'http://127.0.0.1:1', audience })
    await expect(verify(await issued())).rejects.toMatchObject({ code: 'issuer_unavailable' })
  })

  it('is accepted for an hour by keys that we already have, while the issuer is away', async () => {
    const verify = open()
    const token = await issued()
    await verify(token)
    broken = 'status'
    now += 59 * 60_000
    await expect(verify(token)).resolves.toBeDefined()
    await expect(verify(await issued({}, { kid: 'new' }))).rejects.toMatchObject({
      code: 'issuer_unavailable',
    })
    now += 2 * 60_000
    await expect(verify(token)).rejects.toMatchObject({ code: 'issuer_unavailable' })
  })

  it('is not checked with keys that travel in the open, nor with those of another issuer', () => {
    const secure = 'https://id.example'
    expect(() => checkDiscovery(secure, { issuer: secure, jwks_uri: 'http://id.example/keys' })).toThrow(
      'plain http',
    )
    expect(() => checkDiscovery(secure, { issuer: `${secure}/`, jwks_uri: `${secure}/keys` })).toThrow(
      'another issuer',
    )
    expect(() => checkDiscovery(secure, { issuer: secure, jwks_uri: `${secure}/keys` })).not.toThrow()
  })

  it('is accepted beside those of the shared secret', async () => {
    const verify = open({ jwtSecret: secret })
    await expect(verify(await issued())).resolves.toBeDefined()
    await expect(verify(await sign({ iss: issuer, aud: audience }))).resolves.toBeDefined()
  })

  it('needs an audience, and can be the only kind', async () => {
    expect(() => openJwtVerifier({ issuer })).toThrow('needs an audience')
    const verify = open({ jwtSecret: secret, provider: 'oauth2' })
    await expect(verify(await sign({ iss: issuer, aud: audience }))).rejects.toMatchObject(refused)
    await expect(verify(await issued())).resolves.toBeDefined()
  })
})
