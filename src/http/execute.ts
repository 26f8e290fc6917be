import { createRoute } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { etag } from 'hono/etag'
import { z } from 'zod'
import {
  ApiQuery,
  CheckCode,
  CheckedCode,
  CodeResult,
  CodeTokens,
  CodeWaiting,
  ExecuteCode,
} from '#contract/execute.ts'
import { CancelledCode, CodeAnswer } from '#contract/internal.ts'
import type { AskApi, AskCancelCode, AskCheck, AskExecute, AskTokens } from '#contract/internal.ts'
import { Id } from '#contract/text.ts'
import { readCodeRun } from '#db/code-reads.ts'
import { Problem } from '#domain/problem.ts'
import { cancelCodeRun } from '#flows/cancel-code-run.ts'
import { theCodeRun } from '#flows/find-code-run.ts'
import { newId } from '#lib/id.ts'
import { answersAccepted, answersNothing, answersOne, answersText, body } from './answers.ts'
import { bearerToken, requireScope } from './auth.ts'
import { machineForCode } from './execute-lines.ts'
import { Admission } from './execute-socket.ts'
import { askAll, askMachine } from './machine-answers.ts'
import { newRoom } from './room.ts'
import type { Env, Parts } from './room.ts'

const tags = ['code']
const params = z.strictObject({ requestId: Id })
// To the types it is an answer like any other: of two shapes they take the last for the only one.
const waits: { description: string } = answersAccepted(
  CodeWaiting,
  'It waits for a person: ask again for its result',
)[202]

const { 204: _, ...refusals } = answersNothing('')

const execute = createRoute({
  method: 'post',
  path: '/execute',
  tags,
  summary: 'Run TypeScript that calls tools as `mcp.github.create_issue({…})`; `return` is its result',
  request: body(ExecuteCode),
  responses: {
    ...answersOne(CodeResult, 'It has run; `success: false` when the code failed'),
    202: waits,
  },
})

const socket = createRoute({
  method: 'get',
  path: '/execute/ws',
  tags,
  summary:
    'The same over a WebSocket, several at once, with what they log as it happens; by `ticket` or token',
  request: { query: z.strictObject({ ticket: z.string().optional() }) },
  responses: { 101: { description: 'From now on messages' }, ...refusals },
})

const check = createRoute({
  method: 'post',
  path: '/execute/check',
  tags,
  summary: 'Check TypeScript against the API of your tools, without running it',
  request: body(CheckCode),
  responses: answersOne(CheckedCode, 'What is wrong with it, and where'),
})

const tokens = createRoute({
  method: 'get',
  path: '/execute/tokens',
  tags,
  summary: 'Count what a model reads of your tools: all of them listed, and by code',
  responses: answersOne(CodeTokens, 'Both, in tokens'),
})

const read = createRoute({
  method: 'get',
  path: '/execute/{requestId}',
  tags,
  summary: 'Ask for the result of a run that had to wait for a person',
  request: { params },
  responses: { ...answersOne(CodeResult, 'It has ended'), 202: waits },
})

const cancel = createRoute({
  method: 'delete',
  path: '/execute/{requestId}',
  tags,
  summary: 'Cancel a run: one that is under way, or that waits for a person',
  request: { params },
  responses: answersNothing('It ends'),
})

const api = createRoute({
  method: 'get',
  path: '/tools/api.d.ts',
  tags: ['tools'],
  summary: 'What code can call, as TypeScript: all of it, one namespace, or one tool; a file for editors',
  request: { query: ApiQuery.strict() },
  responses: answersText('A file of declarations'),
})

/** Longer than any run may take, with what waits before it. */
const patienceMs = 2 * 3_600_000

export function executeRoutes(parts: Pick<Parts, 'pool' | 'machineId' | 'settings'>) {
  const { db } = parts.pool
  const room = newRoom()
  room.use('/execute/*', requireScope('code'))
  room.use('/tools/api.d.ts', etag())
  room.use('/tools/api.d.ts', requireScope('tools'))

  room.openapi(execute, async (c) => {
    const wanted = c.req.valid('json')
    const by = c.get('principal')
    const machine = await machineForCode(parts, by, wanted.sessionId)
    const asked: AskExecute = { by, requestId: newId(), ...wanted }
    const answer = await untilGone(c.req.raw.signal, (signal) =>
      askMachine(db, machine, '/code/execute', asked, CodeAnswer, signal),
    )
    return 'result' in answer ? c.json({ data: answer.result }, 200) : c.json({ data: answer.waiting }, 202)
  })

  room.openapi(socket, (c) => {
    const admission = admissionOf(c)
    if (!admission) throw noSocket
    const token = c.req.query('ticket') === undefined ? bearerToken(c) : undefined
    admission.admitted = { token, principal: c.get('principal'), until: c.get('until') }
    return c.body(null, 204)
  })

  // Before what is read by its id, of which neither is one.
  room.openapi(check, async (c) => {
    const asked: AskCheck = { by: c.get('principal'), ...c.req.valid('json') }
    const machine = await machineForCode(parts, asked.by, asked.sessionId)
    const data = await untilGone(c.req.raw.signal, (signal) =>
      askMachine(db, machine, '/code/check', asked, CheckedCode, signal),
    )
    return c.json({ data }, 200)
  })

  room.openapi(tokens, async (c) => {
    const asked: AskTokens = { by: c.get('principal') }
    const machine = await machineForCode(parts, asked.by, undefined)
    const signal = AbortSignal.timeout(60_000)
    return c.json({ data: await askMachine(db, machine, '/tools/tokens', asked, CodeTokens, signal) }, 200)
  })

  room.openapi(read, async (c) => {
    const { requestId } = c.req.valid('param')
    const { result, approvals } = await theCodeRun(db, c.get('principal'), requestId)
    return result ? c.json({ data: result }, 200) : c.json({ data: { requestId, approvals } }, 202)
  })

  room.openapi(cancel, async (c) => {
    const { requestId } = c.req.valid('param')
    const by = c.get('principal')
    if (!(await readCodeRun(db, requestId)) && (await isCancelledWhereItRuns({ by, requestId })))
      return c.body(null, 204)
    await theCodeRun(db, by, requestId)
    // Its machine may be gone: it is ended where it is kept, and whoever drives it hears of it.
    if (!(await parts.pool.transaction((tx) => cancelCodeRun(tx, by, requestId))))
      throw new Problem('code_run_ended', `The run ${requestId} has ended already`)
    return c.body(null, 204)
  })

  /** One that was never put away is known only to the machine that runs it. */
  async function isCancelledWhereItRuns(body: AskCancelCode): Promise<boolean> {
    const question = { path: '/code/cancel', body, shape: CancelledCode, isEverywhere: true }
    const answers = await askAll(db, { ...question, first: parts.machineId })
    return answers.some((answer) => 'data' in answer && answer.data.isCancelled)
  }

  room.openapi(api, async (c) => {
    const query = c.req.valid('query')
    const by = c.get('principal')
    const machine = await machineForCode(parts, by, query.sessionId)
    const asked: AskApi = { by, query }
    const text = await askMachine(db, machine, '/code/api', asked, z.string(), AbortSignal.timeout(60_000))
    return c.body(text, 200, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' })
  })
  return room
}

/** Does it until whoever asked is gone, or it takes for ever. Signals that end with others, or by themselves, cost more than the rest of it. */
async function untilGone<Result>(
  asker: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController()
  const leave = () => ending.abort(asker.reason)
  const timer = setTimeout(() => ending.abort(new Error('it takes too long')), patienceMs)
  asker.addEventListener('abort', leave, { once: true })
  if (asker.aborted) leave()
  try {
    return await work(ending.signal)
  } finally {
    clearTimeout(timer)
    asker.removeEventListener('abort', leave)
  }
}

/** There, when the request is to become a socket. */
function admissionOf(c: Context<Env>): Admission | undefined {
  const bindings: unknown = c.env
  if (typeof bindings !== 'object' || bindings === null || !('admission' in bindings)) return undefined
  return bindings.admission instanceof Admission ? bindings.admission : undefined
}

const reason = 'must be websocket: this is where sockets are opened. Without one, POST execute'
const noSocket = new Problem('does_not_fit', `The header does not fit: Upgrade: ${reason}`, {
  in: 'header',
  fields: [{ field: 'Upgrade', reason }],
})
