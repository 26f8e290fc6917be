import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { loadConfig } from '#config/config.ts'
import type { Principal } from '#contract/access.ts'
import { SourceConfig } from '#contract/source.ts'
import { machines } from '#db/schema.ts'
import { insertSource } from '#db/sources.ts'
import { owner } from '#domain/access.ts'
import { guards } from '#http/guards.ts'
import { callbackRoutes, sourceAuthorizationRoutes } from '#http/source-authorization.ts'
import { newId } from '#lib/id.ts'
import { openSeal } from '#lib/sealed.ts'
import { openOAuth } from '#tools/mcp/oauth.ts'
import { internalApi, serveInternally } from '#worker/internal-api.ts'
import { openAuthorizing } from '#worker/tools/authorize.ts'
import { openGrantStore } from '#worker/tools/grant-store.ts'
import type { MachineTools } from '#worker/tools/machine-tools.ts'
import { bareApp, serveApp } from './bare-app.ts'
import { openIssuer } from './issuer.ts'
import { freshPool } from './postgres.ts'

/** Web and worker as far as people let us in at sources with them, with a database, a key on disk, sockets and an issuer of their own. */
export async function openAuthorization(publicUrl?: string) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-authorization-')))
  const home = join(folder, 'home')
  mkdirSync(home, { mode: 0o700 })
  const issuer = await openIssuer()
  const pool = await freshPool()
  const { db } = pool
  const machineId = newId()
  const log = pino({ level: 'silent' })
  const config = loadConfig({ env: { SIGNALBOX_HOME: home, PATH: '/usr/bin' }, cwd: folder })
  const seal = openSeal(home)
  const oauth = openOAuth({ store: openGrantStore(db, seal), log })
  const authorizing = openAuthorizing({ db, seal, env: () => ({}), logins: oauth })
  const tools = { authorizing: () => Promise.resolve(authorizing) } as MachineTools
  const socket = join(folder, 's')
  const internal = internalApi({
    db,
    machineId,
    config: () => config,
    log,
    tools: () => Promise.resolve(tools),
  })
  const worker = await serveInternally(internal, socket, undefined)
  await db.insert(machines).values({ id: machineId, name: 'here', workerId: 'here', url: `unix:${socket}` })

  let caller: Principal = owner
  const settings = {
    current: () => ({
      host: '127.0.0.1',
      port: 4100,
      cors: { enabled: false, origins: [] },
      ...(publicUrl !== undefined && { publicUrl }),
    }),
  }
  const api = bareApp()
    .route('/', callbackRoutes({ settings }))
    .use(async (c, next) => {
      c.set('principal', caller)
      await next()
    })
    .route('/', sourceAuthorizationRoutes({ pool, settings }))
  const web = await serveApp(bareApp().use(guards({ settings })).route('/api/v1', api))
  onTestFinished(async () => {
    await Promise.all([web.close(), worker.close(), issuer.close()])
    rmSync(folder, { recursive: true })
  })

  async function addSource(name: string, more: Partial<SourceConfig> = {}): Promise<string> {
    const id = newId()
    const whole = SourceConfig.parse({
      transport: 'http',
      url: issuer.mcp.url,
      auth: { type: 'oauth' },
      ...more,
    })
    const row = { id, name, machineId, origin: 'api' as const, config: whole, createdBy: 'owner' }
    await pool.transaction((tx) => insertSource(tx, row))
    return id
  }
  async function as(who: Principal, method: string, path: string, sent?: object) {
    caller = who
    const json = sent && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(sent) }
    const answer = await fetch(`${web.url}/api/v1${path}`, { method, ...json })
    const said = await answer.text()
    const body = said ? (JSON.parse(said) as Answer) : {}
    return { status: answer.status, ...body }
  }
  /** As a browser does it that was sent here from elsewhere: `fetch` would say that it is a script. */
  async function follow(location: string) {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    const asked = request(location, { headers }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return { status: answer.statusCode, headers: answer.headers, page: await text(answer) }
  }
  /** The whole way back of a browser in which somebody is logged in: it is led to the page, and the page says who is there. */
  async function comeBack(location: string, who: Principal) {
    const { headers } = await follow(location)
    const { hash } = new URL(headers.location ?? '', location)
    return as(who, 'POST', '/mcp/callback', { query: new URLSearchParams(hash.slice(1)).get('back') })
  }
  const guarded = (id: string, name: string) => ({ id, name, url: issuer.mcp.url, scopes: [] })
  const tokenOf = (id: string, name: string, who: Principal) =>
    oauth.authFor(guarded(id, name), who.id).token()
  return { issuer, pool, home, web, addSource, as, follow, comeBack, tokenOf }
}

interface Answer {
  data?: { authorizationUrl: string; expiresAt: string; name?: string }
  error?: { code: string; message: string }
}
