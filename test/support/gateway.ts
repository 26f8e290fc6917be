import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { eq } from 'drizzle-orm'
import { pino } from 'pino'
import { io } from 'socket.io-client'
import type { ManagerOptions, SocketOptions } from 'socket.io-client'
import { expect, onTestFinished } from 'vitest'
import { openChat } from '#chat/open.ts'
import { loadConfig } from '#config/config.ts'
import type { Scope } from '#contract/access.ts'
import type { NewEvent } from '#contract/event.ts'
import { appendEvents } from '#db/events.ts'
import { openHandOver } from '#db/hand-over.ts'
import { openListener } from '#db/listen.ts'
import { openLiveSettings } from '#db/live-settings.ts'
import { registerMachine } from '#db/machine-life.ts'
import { executions } from '#db/schema.ts'
import { liveExecutionIn } from '#db/sessions.ts'
import { owner } from '#domain/access.ts'
import { openStreams } from '#events/streams.ts'
import { askToolApproval } from '#flows/ask-tool-approval.ts'
import { createUser } from '#flows/create-user.ts'
import { openSession } from '#flows/open-session.ts'
import { registerOwnerToken } from '#flows/register-owner-token.ts'
import { theChatAgent } from '#flows/the-chat-agent.ts'
import { buildApp } from '#http/app.ts'
import { openDoorkeeper } from '#http/doorkeeper.ts'
import { openCodeSockets } from '#http/execute-socket.ts'
import { openGateway } from '#http/gateway/open-gateway.ts'
import { openPreviews } from '#http/preview-door.ts'
import { serveBoth } from '#http/serve-both.ts'
import { newId } from '#lib/id.ts'
import { newSecret } from '#lib/secret.ts'
import { internalApi, serveInternally } from '#worker/internal-api.ts'
import { home, jwtSecret } from './auth.ts'
import { freshPool } from './postgres.ts'
import { call } from './signalbox.ts'

const log = pino({ level: 'silent' })
const patience = { timeout: 20_000, interval: 10 }

/** A database, a machine that has the keys of these variables, an agent for chat, and a person. Nobody drives turns: a test says what happens. */
export async function openChatRoom(env: Record<string, string> = { ANTHROPIC_API_KEY: 'key' }) {
  const pool = await freshPool()
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-gateway-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const config = loadConfig({ env: { HOME: folder, SIGNALBOX_HOME: folder, ...env }, cwd: folder })
  const machineId = newId()
  const address = join(folder, 'worker.sock')
  const chat = openChat(() => config.models)
  const worker = await serveInternally(
    internalApi({ db: pool.db, machineId, config: () => config, log, chat: () => Promise.resolve(chat) }),
    address,
    undefined,
  )
  onTestFinished(() => worker.close())
  await registerMachine(pool.db, { id: machineId, name: 'here', workerId: machineId, url: `unix:${address}` })
  const token = newSecret('test')
  await pool.transaction((tx) => registerOwnerToken(tx, home, token))
  const { id: agentId } = await pool.transaction((tx) => theChatAgent(tx, { id: machineId, name: 'here' }))

  /** What was said last in a session is under way from now on. */
  async function turnIn(sessionId: string) {
    const executionId = await liveExecutionIn(pool.db, sessionId)
    if (executionId === undefined) throw new Error('Nobody has said anything')
    await pool.db.update(executions).set({ status: 'running' }).where(eq(executions.id, executionId))
    const append = (...events: NewEvent[]) =>
      pool.transaction((tx) =>
        appendEvents(
          tx,
          sessionId,
          events.map((event) => ({ ...event, executionId })),
        ),
      )
    const question = {
      executionId,
      sessionId,
      agentId,
      kind: 'tool',
      subject: null,
      readOnly: false,
      danger: 1,
      isForAPerson: false,
      otherNames: [],
    } as const
    const rules = { approvalExpiresMs: 60_000, configured: [], machineId }
    return {
      executionId,
      say: (...chunks: { type: string; [field: string]: unknown }[]) =>
        append(...chunks.map(({ type, data, ...rest }) => ({ type, payload: data ?? rest }))),
      /** A call of the model, in its step. */
      call: (toolCallId: string, toolName: string, input: object = {}) =>
        append({ type: 'tool-input-available', payload: { toolCallId, toolName, input } }),
      /** Asks about it, as the registry does. Answers with the approval's id. */
      ask: async (toolCallId: string, tool: string, position: number, total: number, input: object = {}) => {
        const inChat = { toolCallId, position, total }
        const asked = { ...question, tool, title: tool, input, inputHash: toolCallId, inChat }
        return (await pool.transaction((tx) => askToolApproval(tx, asked, rules))).id
      },
      end: (status: 'succeeded' | 'failed' = 'succeeded', error: string | null = null) =>
        pool.transaction(async (tx) => {
          const last = { type: 'data-status', payload: { status, exitCode: null, error }, executionId }
          await appendEvents(tx, sessionId, [last])
          const ended = { status, endedAt: new Date() }
          await tx.update(executions).set(ended).where(eq(executions.id, executionId))
        }),
    }
  }

  return {
    pool,
    config,
    agentId,
    machineId,
    token,
    worker,
    turnIn,
    openSession: (by = owner) => pool.transaction((tx) => openSession(tx, by, { agentId })),
    user: (name: string, scopes: Scope[]) =>
      pool.transaction((tx) => createUser(tx, owner, { name, scopes })),
  }
}
export type ChatRoom = Awaited<ReturnType<typeof openChatRoom>>

/** One of any number of webs in front of it. */
export async function openWeb({ pool, config, machineId, token }: ChatRoom) {
  const handOver = await openHandOver(pool.db, { log })
  await handOver.open(machineId)
  const listener = openListener(pool.url, log)
  const streams = openStreams(pool.db, listener, log)
  const settings = await openLiveSettings({ config, db: pool.db, listener, log })
  const doorkeeper = openDoorkeeper(pool.db, { jwtSecret })
  const parts = { pool, streams, settings, doorkeeper, handOver, machineId, log, version: '0' }
  const app = buildApp(parts)
  const sockets = openCodeSockets((request, env) => app.fetch(request, env), parts)
  const gateway = openGateway(parts)
  const previews = openPreviews({ pool, doorkeeper, log })
  const server = serveBoth({}, getRequestListener(app.fetch), previews, [sockets], gateway)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  onTestFinished(async () => {
    gateway.close()
    sockets.close()
    previews.close()
    streams.close()
    settings.close()
    server.closeAllConnections()
    await Promise.all([handOver.close(), listener.close()])
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    host,
    url: `http://${host}`,
    streams,
    gateway,
    call: (method: string, path: string, body?: unknown, bearer = token) =>
      call(`http://${host}`, bearer, method, path, body),
  }
}

/** What was heard, in its order. */
export interface Heard {
  name: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into bodies of every shape
  body: any
}

type Options = Partial<ManagerOptions & SocketOptions>

/** A client as its users write it. */
export function connect(url: string, auth: object, options: Options = {}) {
  const socket = io(url, { transports: ['websocket'], reconnection: false, forceNew: true, auth, ...options })
  onTestFinished(() => void socket.disconnect())
  const heard: Heard[] = []
  const cuts: string[] = []
  socket.onAny((name: string, body: Heard['body']) => heard.push({ name, body }))
  socket.on('disconnect', (reason) => cuts.push(reason))
  const named = (name: string) => heard.filter((one) => one.name === name)
  return {
    socket,
    heard,
    cuts,
    named,
    names: () => heard.map(({ name }) => name),
    /** The first, or the nth, of this name, once it is there. */
    async next(name: string, nth = 1): Promise<Heard['body']> {
      await expect.poll(() => named(name).length, patience).toBeGreaterThanOrEqual(nth)
      return named(name)[nth - 1]?.body
    },
    say: (name: string, body?: unknown): Promise<Heard['body']> =>
      socket.timeout(20_000).emitWithAck(name, ...(body === undefined ? [] : [body])),
    /** Resolves with why it was cut off, once it is. */
    async cut(): Promise<string | undefined> {
      await expect.poll(() => cuts.length, patience).toBeGreaterThan(0)
      return cuts.at(-1)
    },
  }
}
export type Client = ReturnType<typeof connect>
