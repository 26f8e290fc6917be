import { createHash, randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import type { Context } from 'hono'
import type { Env } from '#http/room.ts'
import { serveApp } from './bare-app.ts'
import { guardedMcp } from './guarded-mcp.ts'
import type { GuardedMcp } from './guarded-mcp.ts'

/** What an issuer does, also what it should not. Changed at any time. */
export interface IssuerManners {
  /** Says that it is somebody else. */
  callsItself?: string
  /** What comes back with the code (RFC 9207). */
  iss: 'right' | 'wrong' | 'none'
  challengeMethods: string[] | undefined
  /** Takes a code whoever brings it. */
  ignoresPkce: boolean
  registers: boolean
  /** What it answers to a refresh token. */
  refresh: 'rotates' | 'refuses' | 'breaks'
  /** Sends whoever asks for tokens to another host. */
  tokensElsewhere?: string
  authorizationEndpoint?: string
  denies: boolean
  tokenLifeSec: number
  /** Of a request for tokens. */
  slowMs: number
}

export interface Issuer {
  url: string
  mcp: GuardedMcp
  manners: IssuerManners
  /** What was asked of it, by path. */
  asked: { path: string; body: Record<string, string>; authorization: string | undefined }[]
  revoked: string[]
  /** How often a path was asked. */
  times(path: string): number
  /** What a browser does for somebody who says yes: answers with the address that it was sent back to. */
  consent(authorizationUrl: string): Promise<string>
  /** The access tokens that were given so far count no more. */
  expireAll(): void
  close(): Promise<void>
}

interface Code {
  challenge: string
  redirectUri: string
  scope: string
  resource: string | undefined
}

/** An issuer and the MCP server that trusts it, on two ports of this machine: real sockets, and whatever manners a test wants. */
export async function openIssuer(manners: Partial<IssuerManners> = {}): Promise<Issuer> {
  const app = new Hono<Env>()
  const served = await serveApp(app)
  const codes = new Map<string, Code>()
  const refreshTokens = new Map<string, string>()
  const accessTokens = new Map<string, string>()
  const mcp = await guardedMcp(served.url, accessTokens)
  const issuer: Issuer = {
    url: served.url,
    mcp,
    manners: {
      iss: 'right',
      challengeMethods: ['S256'],
      ignoresPkce: false,
      registers: true,
      refresh: 'rotates',
      denies: false,
      tokenLifeSec: 3_600,
      slowMs: 0,
      ...manners,
    },
    asked: [],
    revoked: [],
    times: (path) => issuer.asked.filter((one) => one.path === path).length,
    async consent(authorizationUrl) {
      const response = await fetch(authorizationUrl, { redirect: 'manual' })
      const location = response.headers.get('location')
      if (location === null) throw new Error(`No way back: ${response.status} ${await response.text()}`)
      return location
    },
    expireAll: () => accessTokens.clear(),
    async close() {
      await Promise.all([served.close(), mcp.close()])
    },
  }

  async function noted(c: Context): Promise<Record<string, string>> {
    const text = await c.req.text()
    const isJson = c.req.header('content-type')?.includes('json')
    const body = isJson ? (JSON.parse(text) as object) : Object.fromEntries(new URLSearchParams(text))
    const { path } = c.req
    const said = { ...body } as Record<string, string>
    issuer.asked.push({ path, body: said, authorization: c.req.header('authorization') })
    return said
  }

  app.get('/.well-known/oauth-authorization-server', (c) => {
    const { callsItself, challengeMethods, registers, iss, authorizationEndpoint } = issuer.manners
    return c.json({
      issuer: callsItself ?? served.url,
      authorization_endpoint: authorizationEndpoint ?? `${served.url}/authorize`,
      token_endpoint: `${served.url}/token`,
      ...(registers && { registration_endpoint: `${served.url}/register` }),
      revocation_endpoint: `${served.url}/revoke`,
      response_types_supported: ['code'],
      ...(challengeMethods && { code_challenge_methods_supported: challengeMethods }),
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      authorization_response_iss_parameter_supported: iss !== 'none',
    })
  })
  app.post('/register', async (c) => {
    const wanted = await noted(c)
    return c.json({ ...wanted, client_id: `client-${randomBytes(4).toString('hex')}` }, 201)
  })
  app.get('/authorize', (c) => {
    const query = c.req.query()
    const back = new URL(query['redirect_uri'] ?? '')
    back.searchParams.set('state', query['state'] ?? '')
    const { iss, denies } = issuer.manners
    if (iss !== 'none') back.searchParams.set('iss', iss === 'right' ? served.url : 'https://evil.example')
    if (denies) {
      back.searchParams.set('error', 'access_denied')
      back.searchParams.set('error_description', '<b onclick=alert(1)>not today</b>')
      return c.redirect(back.href)
    }
    const code = randomBytes(16).toString('hex')
    codes.set(code, {
      challenge: query['code_challenge'] ?? '',
      redirectUri: query['redirect_uri'] ?? '',
      scope: query['scope'] ?? '',
      resource: query['resource'],
    })
    back.searchParams.set('code', code)
    return c.redirect(back.href)
  })
  app.post('/token', async (c) => {
    const body = await noted(c)
    const { slowMs, tokensElsewhere } = issuer.manners
    if (tokensElsewhere !== undefined) return c.redirect(tokensElsewhere, 307)
    if (slowMs > 0) await new Promise((resolve) => setTimeout(resolve, slowMs))
    const scope = body['grant_type'] === 'refresh_token' ? refreshed(body) : redeemed(body)
    if (typeof scope !== 'string') return c.json({ error: scope.error }, scope.status)
    const access = `access-${randomBytes(8).toString('hex')}`
    const refresh = `refresh-${randomBytes(8).toString('hex')}`
    accessTokens.set(access, scope)
    refreshTokens.set(refresh, scope)
    const expires_in = issuer.manners.tokenLifeSec
    return c.json({ access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in, scope })
  })
  app.post('/revoke', async (c) => {
    const { token = '' } = await noted(c)
    issuer.revoked.push(token)
    accessTokens.delete(token)
    refreshTokens.delete(token)
    return c.body(null, 200)
  })

  type Refusal = { error: string; status: 400 | 500 }

  function redeemed(body: Record<string, string>): string | Refusal {
    const code = codes.get(body['code'] ?? '')
    codes.delete(body['code'] ?? '')
    const proof = createHash('sha256')
      .update(body['code_verifier'] ?? '')
      .digest('base64url')
    const isProven = issuer.manners.ignoresPkce || proof === code?.challenge
    if (!code || !isProven || code.redirectUri !== body['redirect_uri'] || code.resource !== body['resource'])
      return { error: 'invalid_grant', status: 400 }
    return code.scope
  }

  /** Each is good for one use: whoever uses it twice has none any more. */
  function refreshed(body: Record<string, string>): string | Refusal {
    if (issuer.manners.refresh === 'breaks') return { error: 'server_error', status: 500 }
    const scope = refreshTokens.get(body['refresh_token'] ?? '')
    refreshTokens.delete(body['refresh_token'] ?? '')
    if (issuer.manners.refresh === 'refuses' || scope === undefined)
      return { error: 'invalid_grant', status: 400 }
    return scope
  }
  return issuer
}
