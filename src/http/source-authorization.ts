import { createRoute } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { z } from 'zod'
import { AuthorizeSource, Authorized } from '#contract/source.ts'
import { findMachine } from '#db/machines.ts'
import type { Machine } from '#db/machines.ts'
import type { Database } from '#db/pool.ts'
import { machineOfDeparture } from '#db/source-grants.ts'
import { Problem } from '#domain/problem.ts'
import { theSource } from '#flows/find-source.ts'
import { hashSecret } from '#lib/secret.ts'
import { answersBytes, answersNothing, answersOne } from './answers.ts'
import { requireScope } from './auth.ts'
import { askWorker } from './owning-worker.ts'
import { plainPage } from './plain-page.ts'
import { statusOf } from './problems.ts'
import { newRoom } from './room.ts'
import type { Env, Parts } from './room.ts'

const tags = ['tools']
const request = { params: z.object({ name: z.string().max(100) }) }

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
    'Where a browser comes back to from an issuer; needs no token, but the state, which is good for one use',
  security: [],
  responses: answersBytes('text/html', 'A page that says what came of it'),
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

  room.openapi(authorize, async (c) => {
    const { name } = c.req.valid('param')
    const machine = await machineOf(pool.db, (await theSource(pool.db, name)).machineId)
    const asked = { by: c.get('principal'), name, ...wayBack(c, settings.current().publicUrl) }
    const data = await askWorker(pool.db, machine, '/sources/authorize', asked, AuthorizeSource, patienceMs)
    return c.json({ data }, 200)
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

/** What stands before authentication: a browser that comes back from elsewhere, and issuers, have no token. */
export function callbackRoutes({ pool, settings }: AuthorizationParts) {
  const room = newRoom()

  room.openapi(callback, async (c) => {
    try {
      const { name } = await arrived(pool.db, c.req.queries())
      const done = `Signalbox may now use ${name} for you. You can close this page.`
      return c.html(plainPage(`Let in at ${name}`, [done]), 200)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const next = 'You can close this page. To try again, open Tools in Signalbox.'
      return c.html(plainPage('Not let in', [error.message, next]), statusOf[error.code])
    }
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
const meant = ['code', 'iss', 'error', 'error_description']

async function arrived(db: Database, given: Record<string, string[]>): Promise<Authorized> {
  // What is there twice could be read in two ways.
  if (Object.values(given).some((values) => values.length > 1)) throw unknown
  const state = given['state']?.[0]
  const machineId = state && (await machineOfDeparture(db, hashSecret(state)))
  if (!machineId) throw unknown
  const parameters = Object.fromEntries(
    meant.flatMap((name) => given[name]?.map((value): [string, string] => [name, value]) ?? []),
  )
  const machine = await machineOf(db, machineId)
  return askWorker(db, machine, '/sources/authorized', { state, parameters }, Authorized, patienceMs)
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
