import { createRoute } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { z } from 'zod'
import type { Principal } from '#contract/access.ts'
import { ChatRequest, UiMessage } from '#contract/chat.ts'
import { Id } from '#contract/text.ts'
import { findExecution } from '#db/executions.ts'
import type { Database, Tx } from '#db/pool.ts'
import { lastWordIn } from '#db/said-messages.ts'
import { liveExecutionIn } from '#db/sessions.ts'
import { checkScopes } from '#domain/access.ts'
import { readChatRequest } from '#domain/chat-request.ts'
import type { ChatWish } from '#domain/chat-request.ts'
import { idOfAnswer } from '#domain/conversation.ts'
import { readChatHistory } from '#events/chat-history.ts'
import type { ChatPlace } from '#events/chat-reader.ts'
import { answerInChat } from '#flows/answer-in-chat.ts'
import { answerAgain, sayInstead } from '#flows/branch-chat.ts'
import { visibleSession } from '#flows/find-execution.ts'
import { sayInChat } from '#flows/say-in-chat.ts'
import { startAfresh } from '#flows/start-afresh.ts'
import { stopChat } from '#flows/stop-chat.ts'
import { answersNothing, answersOne, answersStream, body } from './answers.ts'
import { requireOneScope } from './auth.ts'
import { answerStream } from './event-stream.ts'
import { newRoom } from './room.ts'
import type { Env, Parts } from './room.ts'

const params = z.strictObject({ id: Id })
const tags = ['sessions']

const read = createRoute({
  method: 'get',
  path: '/sessions/{id}/chat',
  tags,
  summary: 'What was said in a session, as UI messages of the AI SDK',
  request: { params },
  responses: answersOne(z.array(UiMessage), 'The messages, oldest first'),
})

const say = createRoute({
  method: 'post',
  path: '/sessions/{id}/chat',
  tags,
  summary:
    'Say something, say it in another way, have it answered again, or (with the scope `approve`) answer what is asked, as `useChat` does',
  request: { params, ...body(ChatRequest) },
  responses: answersStream('A UI message stream of the AI SDK'),
})

const afresh = createRoute({
  method: 'delete',
  path: '/sessions/{id}/chat',
  tags,
  summary: 'Start afresh: the next turn begins a new session of the agent’s own',
  request: { params },
  responses: answersNothing('The agent will know nothing of what was said'),
})

const live = {
  method: 'get',
  tags,
  summary:
    'The turn under way, live, from its beginning or from what was said in it last; 204 when there is none',
  responses: {
    ...answersStream('A UI message stream of the AI SDK'),
    204: { description: 'No turn is under way' },
  },
} as const

const resume = createRoute({ ...live, path: '/sessions/{id}/chat/stream', request: { params } })

const resumeByName = createRoute({
  ...live,
  path: '/sessions/{id}/chat/{chatId}/stream',
  request: { params: params.extend({ chatId: z.string() }) },
})

const stop = createRoute({
  method: 'delete',
  path: '/sessions/{id}/chat/stream',
  tags,
  summary: 'Stop the turn under way; what was said until then stays. Without one nothing happens',
  request: { params },
  responses: answersNothing('It is told to stop, or nothing was under way'),
})

/** What a stream told a client that had to pause: where it goes on. */
const Pause = z.object({ executionId: Id, from: z.int().min(0), seq: z.int().min(0) })

const chatHeaders = { 'x-vercel-ai-ui-message-stream': 'v1' }

const beginningOf = async (db: Database | Tx, executionId: string): Promise<number> =>
  ((await findExecution(db, executionId))?.firstSeq ?? 1) - 1

/** What comes after a word in the middle of a turn is a message of its own. */
const placeAfterWord = async (
  db: Database | Tx,
  sessionId: string,
  executionId: string,
  begins: number,
): Promise<ChatPlace> => ({
  sessionId,
  executionId,
  messageId: idOfAnswer(executionId, begins),
  from: await beginningOf(db, executionId),
  begins,
})

export function sessionChatRoutes({
  pool,
  streams,
  handOver,
  settings,
}: Pick<Parts, 'pool' | 'streams' | 'handOver'> & {
  settings: { current(): { worker: { approvalExpiresMs: number } } }
}) {
  const room = newRoom()
  const mayChat = requireOneScope('chat', 'run')
  for (const path of ['/sessions/:id/chat', '/sessions/:id/chat/*']) room.use(path, mayChat)

  room.openapi(read, async (c) => {
    const { id } = c.req.valid('param')
    await visibleSession(pool.db, c.get('principal'), id)
    return c.json({ data: await readChatHistory(pool.db, id) }, 200)
  })

  room.openapi(say, async (c) => {
    const { id } = c.req.valid('param')
    const by = c.get('principal')
    const wish = readChatRequest(c.req.valid('json'))
    if (wish.kind === 'answers') checkScopes(by, ['approve'])
    // People are told so by whatever they want to do; agents talk to nobody here.
    if (wish.kind === 'answers' || by.agent) await visibleSession(pool.db, by, id)
    const place = await pool.transaction(async (tx): Promise<ChatPlace> => {
      if (wish.kind !== 'answers') {
        const { executionId, after, isJoined } = await begin(tx, by, id, wish)
        return isJoined
          ? placeAfterWord(tx, id, executionId, after)
          : { sessionId: id, executionId, messageId: executionId, from: after }
      }
      const executionId = await answerInChat(tx, by, handOver, id, wish.answers)
      const { data } = Pause.safeParse(wish.message.metadata)
      const from = await beginningOf(tx, executionId)
      const known = data?.executionId === executionId ? data : undefined
      return {
        sessionId: id,
        executionId,
        messageId: wish.message.id || executionId,
        from,
        begins: known && known.from > from ? known.from : undefined,
        after: known?.seq,
      }
    })
    return answerStream(c, undefined, (options) => streams.openChat(place, options), chatHeaders)
  })

  function begin(tx: Tx, by: Principal, id: string, wish: Exclude<ChatWish, { kind: 'answers' }>) {
    const rules = settings.current().worker
    if (wish.kind === 'again') return answerAgain(tx, by, handOver, id, wish, rules)
    const { text, files, message, edits } = wish
    const said = { text, files, messageId: message.id || undefined }
    return edits === undefined
      ? sayInChat(tx, by, handOver, id, said, rules)
      : sayInstead(tx, by, handOver, id, edits, said, rules)
  }

  room.openapi(stop, async (c) => {
    const { id } = c.req.valid('param')
    await pool.transaction((tx) => stopChat(tx, c.get('principal'), handOver, id))
    return c.body(null, 204)
  })

  room.openapi(afresh, async (c) => {
    const { id } = c.req.valid('param')
    await pool.transaction((tx) => startAfresh(tx, c.get('principal'), id))
    return c.body(null, 204)
  })

  room.openapi(resume, (c) => answerLive(c, c.req.valid('param').id))
  // How the AI SDK's own transport asks; whatever it calls the chat, it is this one.
  room.openapi(resumeByName, (c) => answerLive(c, c.req.valid('param').id))

  async function answerLive(c: Context<Env>, sessionId: string) {
    await visibleSession(pool.db, c.get('principal'), sessionId)
    const executionId = await liveExecutionIn(pool.db, sessionId)
    if (!executionId) return c.body(null, 204)
    const from = await beginningOf(pool.db, executionId)
    const word = await lastWordIn(pool.db, { streamId: sessionId, executionId, after: from })
    const place =
      word === undefined
        ? { sessionId, executionId, messageId: executionId, from }
        : await placeAfterWord(pool.db, sessionId, executionId, word)
    return answerStream(c, undefined, (options) => streams.openChat(place, options), chatHeaders)
  }

  return room
}
