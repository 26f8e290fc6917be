import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { Principal, Scope } from '#contract/access.ts'
import { loadConfig } from '#config/config.ts'
import { openHandOver } from '#db/hand-over.ts'
import { openListener } from '#db/listen.ts'
import { openLiveSettings } from '#db/live-settings.ts'
import { registerMachine } from '#db/machine-life.ts'
import { approvals, codeRuns } from '#db/schema.ts'
import { openStreams } from '#events/streams.ts'
import { createUser } from '#flows/create-user.ts'
import { registerOwnerToken } from '#flows/register-owner-token.ts'
import { owner } from '#domain/access.ts'
import { buildApp } from '#http/app.ts'
import { openDoorkeeper } from '#http/doorkeeper.ts'
import { openCodeSockets } from '#http/execute-socket.ts'
import { openPreviews } from '#http/preview-door.ts'
import { serveBoth } from '#http/serve-both.ts'
import { newId } from '#lib/id.ts'
import { newSecret } from '#lib/secret.ts'
import { internalApi, serveInternally } from '#worker/internal-api.ts'
import { home, jwtSecret } from './auth.ts'
import { freshPool } from './postgres.ts'
import { fine, openScriptedCode } from './scripted-code.ts'
import { call } from './signalbox.ts'

const log = pino({ level: 'silent' })

/** The whole of web on a port, and behind it the internal API of a machine that runs what the script says. */
export async function openCodeWeb({ beatMs = 15_000 } = {}) {
  const pool = await freshPool()
  const machineId = newId()
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-code-'))
  const config = loadConfig({ env: { HOME: folder, SIGNALBOX_HOME: folder }, cwd: folder })
  const script = openScriptedCode()
  const socket = join(folder, 'worker.sock')
  const code = () => Promise.resolve(script.code)
  const here = { code, running: code, metrics: () => script.code.metrics() }
  const worker = await serveInternally(
    internalApi({ db: pool.db, machineId, config: () => config, log, code: () => here }),
    socket,
    undefined,
  )
  await registerMachine(pool.db, { id: machineId, name: 'here', workerId: machineId, url: `unix:${socket}` })
  const handOver = await openHandOver(pool.db, { log })
  const listener = openListener(pool.url, log)
  const streams = openStreams(pool.db, listener, log)
  const settings = await openLiveSettings({ config, db: pool.db, listener, log })
  const doorkeeper = openDoorkeeper(pool.db, { jwtSecret })
  const parts = { pool, streams, settings, doorkeeper, handOver, machineId, log, version: '0' }
  const app = buildApp(parts)
  const sockets = openCodeSockets((request, env) => app.fetch(request, env), parts, { everyMs: beatMs })
  const previews = openPreviews({ pool, doorkeeper, log })
  const server = serveBoth({}, getRequestListener(app.fetch), previews, [sockets]).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const token = newSecret('test')
  await pool.transaction((tx) => registerOwnerToken(tx, home, token))

  onTestFinished(async () => {
    sockets.close()
    previews.close()
    streams.close()
    settings.close()
    server.closeAllConnections()
    await Promise.all([worker.close(), handOver.close(), listener.close()])
    await new Promise((resolve) => server.close(resolve))
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    pool,
    machineId,
    host,
    token,
    script,
    worker,
    /** As when web is stopped. */
    dropSockets: () => sockets.close(),
    call: (method: string, path: string, body?: unknown, bearer = token) =>
      call(`http://${host}`, bearer, method, path, body),
    user: (name: string, scopes: Scope[]) =>
      pool.transaction((tx) => createUser(tx, owner, { name, scopes })),
    ticket: async (bearer = token): Promise<string> => {
      const { body } = await call(`http://${host}`, bearer, 'POST', '/auth/ticket')
      return body.data.ticket
    },
  }
}
export type CodeWeb = Awaited<ReturnType<typeof openCodeWeb>>

/** A run that waits for one answer, or has ended. */
export async function keepRun(
  { pool, machineId }: CodeWeb,
  by: Principal,
  { id = newId(), hasEnded = false } = {},
): Promise<string> {
  await pool.db.insert(codeRuns).values({
    id,
    principal: by,
    createdBy: by.id,
    machineId,
    status: hasEnded ? 'ended' : 'frozen',
    wanted: { code: '', typescript: true, check: true },
    grants: {},
    ...(hasEnded && { result: fine(id, 'late'), endedAt: new Date() }),
  })
  if (hasEnded) return id
  await pool.db.insert(approvals).values({
    id: newId(),
    codeRunId: id,
    requestId: '1',
    kind: 'tool',
    tool: 'github.create_issue',
    title: 'Create an issue',
    input: {},
    inputHash: 'x',
    readOnly: false,
    options: [],
    danger: 1,
    askedBy: 'registry',
    status: 'waiting',
    expiresAt: new Date('2030-01-01T00:00:00Z'),
  })
  return id
}
