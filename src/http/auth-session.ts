import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { Browser, Principal, SessionKey, Ticket } from '#contract/access.ts'
import { listBrowsers } from '#db/browsers.ts'
import { deleteToken, tellRevoked } from '#db/tokens.ts'
import { checkPerson } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import { endBrowser } from '#flows/end-browser.ts'
import { issueTicket } from '#flows/issue-ticket.ts'
import { openSessionKey } from '#flows/open-session-key.ts'
import { Id } from '#contract/text.ts'
import { inertLine } from '#lib/inert-text.ts'
import { answersCreated, answersMany, answersNothing, answersOne } from './answers.ts'
import { admitted, bearerToken } from './auth.ts'
import type { AuthParts } from './auth.ts'
import { jsonBody } from './request-body.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const tags = ['auth']
const Login = z.strictObject({ token: z.string().min(1).max(8192).optional() })

const login = createRoute({
  method: 'post',
  path: '/auth/session',
  tags,
  summary:
    'Trade a token, from the Authorization header or the body, for a session key that a browser may keep',
  security: [],
  request: { body: { content: { 'application/json': { schema: Login } } } },
  responses: answersOne(SessionKey, 'The key; lives 30 days from its last use, and no longer than the token'),
})

const logout = createRoute({
  method: 'delete',
  path: '/auth/session',
  tags,
  summary: 'End the session key that this request is made with',
  responses: answersNothing('It opens nothing any more'),
})

const whoami = createRoute({
  method: 'get',
  path: '/auth/whoami',
  tags,
  summary: 'Say whose token this is',
  responses: answersOne(Principal, 'Who is asking'),
})

const ticket = createRoute({
  method: 'post',
  path: '/auth/ticket',
  tags,
  summary: 'Get a ticket for the address of a stream or socket: opens one, once, within 30 seconds',
  responses: answersCreated(Ticket, 'The ticket, for ?ticket='),
})

const browsers = createRoute({
  method: 'get',
  path: '/auth/browsers',
  tags,
  summary: 'The browsers that are logged in: the owner sees everybody’s, others their own',
  responses: answersMany(Browser, 'All of them, those used last first'),
})

const endOne = createRoute({
  method: 'delete',
  path: '/auth/browsers/{id}',
  tags,
  summary: 'Log a browser out',
  request: { params: z.strictObject({ id: Id }) },
  responses: answersNothing('It opens nothing any more'),
})

type SessionParts = AuthParts & Pick<Parts, 'pool'>

/** The one route that stands before authentication, because it is how one gets in. */
export function loginRoutes(parts: SessionParts) {
  const room = newRoom()
  room.use('/auth/session', jsonBody(16 * 1024)) // whoever is not in yet is not given more of our time
  room.openapi(login, async (c) => {
    const token = c.req.header('authorization') ? undefined : c.req.valid('json').token
    const shown = token ?? bearerToken(c)
    const credential = await admitted(parts, c, parts.doorkeeper.admit(shown))
    const { principal } = credential
    checkPerson(principal)
    // Whatever expires by itself is a session key already. Trading it would lengthen its life, or multiply it.
    if (credential.kind !== 'token') {
      const expiresAt = credential.expiresAt.toISOString()
      return c.json({ data: { sessionKey: shown, expiresAt, principal } }, 200)
    }
    const opened = await parts.pool.transaction((tx) =>
      openSessionKey(tx, credential.tokenId, browserOf(c.req.header('user-agent'))),
    )
    return c.json({ data: { ...opened, principal } }, 200)
  })
  return room
}

export function authRoutes({ pool, doorkeeper }: SessionParts) {
  const room = newRoom()

  room.openapi(logout, async (c) => {
    const credential = await doorkeeper.admit(bearerToken(c))
    if (credential.kind !== 'session')
      throw new Problem('not_a_session_key', 'Only a session key can be ended; this is the token itself')
    await deleteToken(pool.db, credential.tokenId)
    await tellRevoked(pool.db, credential.principal.id)
    return c.body(null, 204)
  })

  room.openapi(browsers, async (c) => {
    const by = c.get('principal')
    checkPerson(by)
    const credential = await doorkeeper.admit(bearerToken(c))
    const thisKey = credential.kind === 'session' ? credential.tokenId : null
    const data = await listBrowsers(pool.db, { thisKey, ...(by.kind !== 'owner' && { who: by.id }) })
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })

  room.openapi(endOne, async (c) => {
    const { id } = c.req.valid('param')
    await pool.transaction((tx) => endBrowser(tx, c.get('principal'), id))
    return c.body(null, 204)
  })

  room.openapi(whoami, (c) => c.json({ data: c.get('principal') }, 200))

  room.openapi(ticket, async (c) => {
    const data = await pool.transaction((tx) => issueTicket(tx, c.get('principal')))
    return c.json({ data }, 201)
  })

  return room
}

/** What it says of itself, which may be anything. */
const browserOf = (userAgent: string | undefined): string | null =>
  userAgent ? inertLine(userAgent).toWellFormed().slice(0, 300) : null
