import { SignJWT } from 'jose'
import { beforeEach, expect, it } from 'vitest'
import { jwtSecret, openAuth } from '../../test/support/auth.ts'
import { bareApp } from '../../test/support/bare-app.ts'
import { findPreview } from '#db/previews.ts'
import { previews } from '#db/schema.ts'
import { registerMachine } from '#db/machine-life.ts'
import { insertWorkspace } from '#db/workspaces.ts'
import { owner } from '#domain/access.ts'
import { issuePreviewTicket, openPreview } from '#flows/open-preview.ts'
import { newId } from '#lib/id.ts'
import { hashSecret } from '#lib/secret.ts'
import { sql } from 'drizzle-orm'
import { authenticate } from './auth.ts'
import { openDoorkeeper } from './doorkeeper.ts'
import { previewsRoutes } from './previews.ts'

const [machineId, workspaceId] = [newId(), newId()]
const place = { workspaceId, port: null }

let box: Awaited<ReturnType<typeof openAuth>>
beforeEach(async () => {
  box = await openAuth()
  const { pool } = box
  await registerMachine(pool.db, { id: machineId, name: 'here', workerId: machineId, url: 'unix:/nowhere' })
  const app = { command: 'x', port: 5173 }
  await pool.transaction((tx) =>
    insertWorkspace(tx, { id: workspaceId, machineId, driver: 'folder', root: '/w', name: 'w', app }),
  )
})

const issue = (asker: { tokenId?: string | null; until?: Date | null } = {}) =>
  box.pool.transaction((tx) =>
    issuePreviewTicket(tx, { principal: owner, tokenId: null, until: null, ...asker }, place),
  )
const trade = (ticket: string, where: { workspaceId: string; port: number | null } = place) =>
  box.pool.transaction((tx) => openPreview(tx, ticket, where))
const find = (key: string, where: { workspaceId: string; port: number | null } = place) =>
  findPreview(box.pool.db, hashSecret(key), where)

it('trades a ticket once, at its own place, before it expires', async () => {
  const { ticket } = await issue()
  expect(await find(ticket)).toBeUndefined() // a ticket is no key
  expect(await trade(ticket, { workspaceId, port: 1 })).toBeUndefined()
  expect(await trade(ticket, { workspaceId: newId(), port: null })).toBeUndefined()
  const { key = '' } = (await trade(ticket)) ?? {}
  expect(await trade(ticket)).toBeUndefined()
  expect(await trade(key)).toBeUndefined() // a key is no ticket
  expect(await find(key)).toMatchObject({ principal: owner, driver: 'folder', machine: { id: machineId } })
  expect(await find(key, { workspaceId, port: 5173 })).toBeUndefined()
  const late = await issue()
  await box.pool.db.update(previews).set({ expiresAt: sql`now() - interval '1 second'` })
  expect(await trade(late.ticket)).toBeUndefined()
  expect(await find(key)).toBeUndefined()
})

it('keeps neither ticket nor key as it is', async () => {
  const { ticket } = await issue()
  const { key = '' } = (await trade(ticket)) ?? {}
  const again = await issue()
  const kept = JSON.stringify((await box.pool.db.$client.query('select * from previews')).rows)
  for (const secret of [key, again.ticket]) expect(kept).not.toContain(secret.slice(secret.indexOf('_') + 1))
})

it('lets nothing live longer than the JWT that it was asked for with', async () => {
  const until = new Date(Date.now() + 60_000)
  const { ticket } = await issue({ until })
  expect((await trade(ticket))?.expiresAt).toEqual(until)
})

it('shows nothing of a workspace in the trash', async () => {
  const { ticket } = await issue()
  const { key = '' } = (await trade(ticket)) ?? {}
  await box.pool.db.$client.query(`update workspaces set state = 'trashed'`)
  expect(await find(key)).toBeUndefined()
})

function appWith(publicUrl: string | undefined) {
  const { pool } = box
  const doorkeeper = openDoorkeeper(pool.db, { jwtSecret, issuer: undefined, audience: undefined })
  const settings = {
    current: () => ({ host: '127.0.0.1', port: 4100, publicUrl, trustProxy: false }),
  } as never
  const app = bareApp()
  app.use(authenticate({ doorkeeper, settings }))
  return app.route('/', previewsRoutes({ pool, doorkeeper, settings, machineId }))
}

async function asked(
  host: string,
  { publicUrl, token = box.ownerToken }: { publicUrl?: string; token?: string } = {},
) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', host }
  const path = `/workspaces/${workspaceId}/preview`
  const answer = await appWith(publicUrl).request(path, { method: 'POST', headers, body: '{}' })
  return {
    status: answer.status,
    ...((await answer.json()) as { error?: { code: string; message: string } }),
  }
}

it('gives no address that a browser elsewhere would look for on its own machine', async () => {
  for (const [host, publicUrl] of [
    ['signalbox.example', undefined],
    ['192.168.1.2:4100', undefined],
    ['localhost:4100', 'https://signalbox.example'],
  ] as const) {
    const { status, error } = await asked(host, publicUrl === undefined ? {} : { publicUrl })
    expect(status).toBe(409)
    expect(error).toMatchObject({ code: 'previews_unavailable' })
  }
  // On this machine it gets as far as the worker, which is not there.
  expect(await asked('localhost:4100')).toMatchObject({ status: 503, error: { code: 'machine_unavailable' } })
})

it('is for those who see the workspace and may run', async () => {
  const stranger = await box.addUser('Stranger', ['run'])
  expect((await asked('localhost', { token: stranger.token })).status).toBe(404)
  const reader = await box.addUser('Reader', ['board'])
  expect((await asked('localhost', { token: reader.token })).status).toBe(403)
  const jwt = await new SignJWT({ scopes: ['run'] })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('someone')
    .setExpirationTime('1h')
    .sign(Buffer.from(jwtSecret))
  expect((await asked('localhost', { token: jwt })).status).toBe(404)
})
