import { createRoute } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { z } from 'zod'
import type { Principal } from '#contract/access.ts'
import { AuthorizeSource, Authorized, ComeBack } from '#contract/source.ts'
import { prose } from '#contract/text.ts'
import { findMachine } from '#db/machines.ts'
import type { Machine } from '#db/machines.ts'
import type { Database } from '#db/pool.ts'
import { machineOfDeparture } from '#db/source-grants.ts'
import { Problem } from '#domain/problem.ts'
import { theSource } from '#flows/find-source.ts'
import { hashSecret } from '#lib/secret.ts'
import { answersBytes, answersNothing, answersOne, body } from './answers.ts'
import { requireScope } from './auth.ts'
import { askWorker } from './owning-worker.ts'
import { newRoom } from './room.ts'
import type { Env, Parts } from './room.ts'

const tags = ['tools']
const request = { params: z.object({ name: prose(100) }) }

const authorize = createRoute({
  method: 'post',
  path: '/mcp/{name}/authorize',
  tags,
  summary: 'Get the address where you let Signalbox in at a source (OAuth), for yourself',
  request,
  responses: answersOne(AuthorizeSource, 'Open it in a browser; it brings you back'),
})

const revoke = createRoute({
  method: 'delete',
  path: '/mcp/{name}/authorization',
  tags,
  summary: 'Take back what you gave: the tokens are dropped here, and revoked there where that is possible',
  request,
  responses: answersNothing('Signalbox has nothing of yours there any more'),
})

const callback = createRoute({
  method: 'get',
  path: '/mcp/callback',
  tags,
  summary:
    'Where a browser comes back to from an issuer. Does nothing but show the page, which knows who is there',
  security: [],
  responses: { 303: { description: 'To the page, which says that you are back' } },
})

const comeBack = createRoute({
  method: 'post',
  path: '/mcp/callback',
  tags,
  summary: 'Say that you are back from an issuer, with what it sent along; whoever began it can, once',
  request: body(ComeBack),
  responses: {
    ...answersOne(Authorized, 'Signalbox may use this source for you now'),
    502: { description: 'The issuer said no, or something that does not fit' },
  },
})

const client = createRoute({
  method: 'get',
  path: '/mcp/client.json',
  tags,
  summary:
    'Who Signalbox is, for issuers that take an address for a client (CIMD); only with an https PUBLIC_URL',
  security: [],
  responses: answersBytes('application/json', 'The metadata of an OAuth client'),
})

// An issuer of an upstream may be slow, and is asked several times.
const patienceMs = 40_000

type AuthorizationParts = Pick<Parts, 'pool'> & { settings: { current(): { publicUrl?: string } } }

export function sourceAuthorizationRoutes({ pool, settings }: AuthorizationParts) {
  const room = newRoom()
  room.use('/mcp/:name/authorize', requireScope('tools'))
  room.use('/mcp/:name/authorization', requireScope('tools'))
  room.use('/mcp/callback', requireScope('tools'))

  room.openapi(authorize, async (c) => {
    const { name } = c.req.valid('param')
    const machine = await machineOf(pool.db, (await theSource(pool.db, name)).machineId)
    const asked = { by: c.get('principal'), name, ...wayBack(c, settings.current().publicUrl) }
    const data = await askWorker(pool.db, machine, '/sources/authorize', asked, AuthorizeSource, patienceMs)
    return c.json({ data }, 200)
  })

  room.openapi(comeBack, async (c) => {
    const { query } = c.req.valid('json')
    return c.json({ data: await arrived(pool.db, c.get('principal'), new URLSearchParams(query)) }, 200)
  })

  room.openapi(revoke, async (c) => {
    const { name } = c.req.valid('param')
    const machine = await machineOf(pool.db, (await theSource(pool.db, name)).machineId)
    const asked = { by: c.get('principal'), name }
    await askWorker(pool.db, machine, '/sources/revoke', asked, z.object({}), patienceMs)
    return c.body(null, 204)
  })
  return room
}

/** What stands before authentication: a browser that is sent here from elsewhere, and issuers, have no token. */
export function callbackRoutes({ settings }: Pick<AuthorizationParts, 'settings'>) {
  const room = newRoom()

  // Whose browser this is nobody can tell yet, and a link brings anybody here: only the page, which has the key of whoever is logged in,
  // says it. Behind the # what the issuer sent stays in the browser.
  room.openapi(callback, (c) => {
    const query = new URL(c.req.url).search.slice(1)
    return c.redirect(`/authorized#back=${encodeURIComponent(query)}`, 303)
  })

  room.openapi(client, (c) => {
    const back = wayBack(c, settings.current().publicUrl)
    if (!back.clientMetadataUrl)
      throw new Problem('not_found', 'Only with an https PUBLIC_URL can issuers read who Signalbox is')
    return c.json({
      client_id: back.clientMetadataUrl,
      client_name: 'Signalbox',
      redirect_uris: [back.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    })
  })
  return room
}

const unknown = new Problem(
  'authorization_unknown',
  'This way back is not known: it was used already, or is older than ten minutes.',
)
const meant = new Set(['code', 'iss', 'error', 'error_description'])

async function arrived(db: Database, by: Principal, given: URLSearchParams): Promise<Authorized> {
  // What is there twice could be read in two ways.
  if (new Set(given.keys()).size < given.size) throw unknown
  const state = given.get('state')
  const machineId = state && (await machineOfDeparture(db, hashSecret(state)))
  if (!machineId) throw unknown
  const parameters = Object.fromEntries([...given].filter(([name]) => meant.has(name)))
  const machine = await machineOf(db, machineId)
  return askWorker(db, machine, '/sources/authorized', { by, state, parameters }, Authorized, patienceMs)
}

async function machineOf(db: Database, id: string): Promise<Machine> {
  const machine = await findMachine(db, id)
  if (!machine) throw new Problem('machine_unavailable', 'The machine of this source is gone')
  return machine
}

/** The name that we were called by is one of ours: the guards have looked. */
function wayBack(c: Context<Env>, publicUrl: string | undefined) {
  const base = `${publicUrl ? new URL(publicUrl).origin : `http://${c.req.header('host')}`}/api/v1/mcp`
  const isReachable = publicUrl?.startsWith('https:')
  return {
    redirectUrl: `${base}/callback`,
    ...(isReachable && { clientMetadataUrl: `${base}/client.json` }),
  }
}
