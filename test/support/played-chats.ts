import { asc, eq } from 'drizzle-orm'
import { pino } from 'pino'
import { expect, onTestFinished } from 'vitest'
import type { Principal } from '#contract/access.ts'
import type { NewEvent } from '#contract/event.ts'
import { appendEvents } from '#db/events.ts'
import { openListener } from '#db/listen.ts'
import { events, executions } from '#db/schema.ts'
import { owner } from '#domain/access.ts'
import { conversationOf } from '#events/conversation.ts'
import { openStreams } from '#events/streams.ts'
import { sessionChatRoutes } from '#http/session-chat.ts'
import { sessionControlRoutes } from '#http/session-control.ts'
import { bareApp } from './bare-app.ts'
import { openStaffedRegistry } from './registry.ts'
import type { Answer } from './registry.ts'

const silent = pino({ level: 'silent' })
export const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]
export const user = (text: string, id = '') => ({ id, role: 'user', parts: [{ type: 'text', text }] })

interface Shown {
  id: string
  role: string
  parts: { type: string; text?: string; state?: string }[]
}
export const wordsOf = (messages: Shown[]) =>
  messages.map(({ parts }) => parts.map(({ text }) => text ?? '').join(''))

/** Chats with a model whose worker the tests play. */
export async function openChats() {
  const box = await openStaffedRegistry()
  const { pool, handOver, machineId } = box
  const { db } = pool
  const listener = openListener(pool.url, silent)
  const streams = openStreams(db, listener, silent)
  const settings = { current: () => ({ worker: { approvalExpiresMs: 60_000 } }) }
  const app = bareApp()
  let caller: Principal = owner
  app.use(async (c, next) => {
    c.set('principal', caller)
    await next()
  })
  app.route('/', sessionChatRoutes({ pool, streams, handOver, settings }))
  app.route('/', sessionControlRoutes({ pool, machineId }))
  onTestFinished(async () => {
    streams.close()
    await listener.close()
  })

  /** Of a stream only its beginning is read: which message it puts together. */
  async function ask(method: string, path: string, body?: unknown, as = owner): Promise<Answer> {
    caller = as
    const headers = { 'content-type': 'application/json' }
    const answer = await app.request(`/sessions/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers }),
    })
    if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) {
      const text = await answer.text()
      return { status: answer.status, body: text ? JSON.parse(text) : undefined }
    }
    const reader = answer.body!.getReader()
    const { value } = await reader.read()
    await reader.cancel()
    return {
      status: answer.status,
      body: JSON.parse(new TextDecoder().decode(value).slice(6).split('\n')[0]!),
    }
  }

  const append = (sessionId: string, ...told: NewEvent[]) =>
    pool.transaction((tx) => appendEvents(tx, sessionId, told))

  const model = await box.agent({ kind: 'model', adapter: 'chat', binaryPath: null, workingDir: null })
  await box.capability(model.id, { interactionMode: 'prompt', commandTokens: null })

  return {
    ...box,
    model,
    ask,
    append,
    open: async (agentId = model.id): Promise<string> =>
      (await box.call('POST', '/sessions', { agentId })).body.data.id,
    /** As the worker does. */
    async answer(executionId: string, text: string): Promise<void> {
      const [row] = await db.select().from(executions).where(eq(executions.id, executionId))
      const chunk = (type: string, payload: object): NewEvent => ({ type, payload, executionId })
      await append(
        row!.sessionId,
        chunk('start-step', {}),
        chunk('text-start', { id: 't' }),
        chunk('text-delta', { id: 't', delta: text }),
        chunk('text-end', { id: 't' }),
        chunk('finish-step', {}),
        chunk('data-status', { status: 'succeeded' }),
      )
      await db
        .update(executions)
        .set({ status: 'succeeded', endedAt: new Date() })
        .where(eq(executions.id, executionId))
    },
    async say(sessionId: string, text: string, more: object = {}): Promise<string> {
      const { body, status } = await ask('POST', `${sessionId}/chat`, { messages: [user(text)], ...more })
      expect([status, body.error]).toEqual([200, undefined])
      return body.messageId
    },
    messages: async (sessionId: string): Promise<Shown[]> =>
      (await ask('GET', `${sessionId}/chat`)).body.data,
    run: (executionId: string) =>
      db
        .update(executions)
        .set({ status: 'running', startedAt: new Date() })
        .where(eq(executions.id, executionId)),
    row: async (id: string) => (await db.select().from(executions).where(eq(executions.id, id)))[0]!,
    eventsIn: async (id: string) =>
      (await db.select().from(events).where(eq(events.streamId, id)).orderBy(asc(events.seq))).map(
        ({ type, executionId, payload }) => ({
          type,
          executionId,
          payload: payload as Record<string, unknown>,
        }),
      ),
    /** What a model would be shown of it. */
    async conversation(sessionId: string): Promise<string[]> {
      const told: string[] = []
      for await (const { type, payload } of conversationOf(db, sessionId)) {
        const { text, delta } = JSON.parse(payload)
        if (type === 'data-message' || type === 'text-delta') told.push(text ?? delta)
      }
      return told
    },
  }
}
export type Chats = Awaited<ReturnType<typeof openChats>>

/** A session in which two things were said and answered, by a client that names its messages. */
export async function twoTurns(chats: Chats) {
  const sessionId = await chats.open()
  const turns: string[] = []
  for (const [said, answered] of [
    ['One?', 'One.'],
    ['Two?', 'Two.'],
  ] as const) {
    const id = await chats.say(sessionId, said, { messages: [user(said, `client ${said}`)] })
    await chats.answer(id, answered)
    turns.push(id)
  }
  return { sessionId, turns }
}

/** As `regenerate` sends it. */
export const again = (messageId?: string, last = user('x')) => ({
  trigger: 'regenerate-message',
  ...(messageId !== undefined && { messageId }),
  messages: [last],
})
/** As `sendMessage` sends it with a `messageId`. */
export const edit = (messageId: string, text: string) => ({
  trigger: 'submit-message',
  messageId,
  messages: [user(text, messageId)],
})
