import { Hono } from 'hono'
import type { Context } from 'hono'
import { ChatRequest } from '#contract/chat.ts'
import { readChatRequest } from '#domain/chat-request.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import type { ProblemCode } from '#domain/problem.ts'
import { readJson } from './body.ts'
import type { Conversation } from './conversation.ts'
import { doors } from './doors.ts'
import type { Admission } from './doors.ts'
import { streamHeaders } from './frames.ts'

const statusOf: { [Code in ProblemCode]?: 400 | 401 | 403 | 404 | 409 | 413 | 422 | 500 } = {
  bad_json: 400,
  unauthenticated: 401,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  not_found: 404,
  session_busy: 409,
  cannot_branch: 409,
  approval_not_waiting: 409,
  body_too_large: 413,
  does_not_fit: 422,
  agent_not_started: 500,
}

export interface BridgeParts {
  conversation: Conversation
  admission: Admission
  about: { version: string; agent: { command: string; adapter: string; cwd: string } }
  /** Why the session is not kept, if it is not. */
  trouble: () => string | undefined
  log: (line: string) => void
}

/** The HTTP side of the bridge: one agent, as the AI SDK's chat clients want to speak to it. */
export function buildBridge({ conversation, admission, about, trouble, log }: BridgeParts): Hono {
  const app = new Hono()
  app.onError((error, c) => {
    if (!(error instanceof Problem)) log(error.stack ?? error.message)
    const problem = error instanceof Problem ? error : undefined
    const { code, message } = problem ?? { code: 'internal', message: 'Something went wrong on our side' }
    const status = problem ? (statusOf[problem.code] ?? 500) : 500
    if (status === 401) c.header('WWW-Authenticate', 'Bearer')
    return c.json({ error: { code, message, ...(problem?.context && { context: problem.context }) } }, status)
  })
  app.notFound((c) => {
    throw new Problem('not_found', `There is nothing at ${c.req.method} ${c.req.path}`)
  })
  app.use(doors(admission))

  app.get('/', (c) =>
    c.json({ name: 'signalbox agent', ...about, routes: ['/health', '/chat', '/chat/stream'] }),
  )
  app.get('/health', (c) => {
    const kept = trouble()
    return c.json({ status: 'ok', state: conversation.state, ...(kept !== undefined && { notKept: kept }) })
  })

  app.get('/chat', (c) => c.json(conversation.messages))
  app.delete('/chat', async (c) => {
    await conversation.startAfresh()
    return c.body(null, 204)
  })
  app.post('/chat', async (c) => {
    const wish = readChatRequest(await wanted(c))
    if (wish.kind === 'answers') return c.body(conversation.answer(wish.answers).readOn(), 200, streamHeaders)
    if (wish.kind === 'again' || wish.edits !== undefined)
      throw new Problem(
        'cannot_branch',
        'The agent keeps its own history, which cannot be gone back in: say what you want instead',
      )
    return c.body((await conversation.say(wish)).read(), 200, streamHeaders)
  })
  // The second is how the AI SDK's own transport asks: there is one chat here, whatever it calls it.
  for (const path of ['/chat/stream', '/chat/:id/stream'])
    app.get(path, (c) => {
      const { turn } = conversation
      return turn ? c.body(turn.read(), 200, streamHeaders) : c.body(null, 204)
    })
  return app
}

async function wanted(c: Context): Promise<ChatRequest> {
  const { data, error } = ChatRequest.safeParse(await readJson(c.req.raw))
  if (data) return data
  const [issue] = error.issues
  throw bodyMisfit(issue?.path.join('.') || 'messages', 'must be UI messages of the AI SDK, at least one')
}
