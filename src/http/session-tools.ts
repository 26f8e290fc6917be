import { createRoute } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { z } from 'zod'
import { one } from '#contract/answer.ts'
import { Id } from '#contract/text.ts'
import {
  AppAnswer,
  AppAsked,
  CommandAsked,
  ToolHealth,
  longestUnstreamedMs,
  toolAnswers,
  toolInputs,
} from '#contract/workspace-tool.ts'
import type { ToolInput, ToolName } from '#contract/workspace-tool.ts'
import { subjectOf } from '#db/audit-subject.ts'
import { rulesFor } from '#db/policy-rules.ts'
import { isPerson } from '#domain/access.ts'
import { checkCommand } from '#domain/command.ts'
import { configuredRules } from '#domain/policy.ts'
import { answersTool, body } from './answers.ts'
import { requireOneScope } from './auth.ts'
import { commandEvents } from './command-stream.ts'
import { streamHeaders } from './event-stream.ts'
import { newRoom } from './room.ts'
import type { Env, Parts } from './room.ts'
import { openToolDesk } from './tool-call.ts'

const params = z.strictObject({ id: Id })
const tags = ['tools of a workspace']
/** After its time a command is killed, and what it said is told. */
const killMs = 5_000

const summaries = {
  search: 'Find files by their names, or lines by what is in them; in the order of their paths',
  read: 'Read a text file, or some of its lines',
  write: 'Write a whole file, and the folders that lead to it',
  edit: 'Replace a text in a file: the only one there is, the first, or all',
  list: 'List what is in a folder',
  command:
    'Run a command line in a shell. With `stream` it is answered with server-sent events `stdout`, `stderr`, `progress`, and at the end `result` or `error`',
  output: 'Read on in what a command said, where that was too long for its answer',
} as const satisfies Record<ToolName, string>

const plainTools = ['search', 'read', 'write', 'edit', 'list', 'output'] as const

const toolRoute = <Name extends (typeof plainTools)[number]>(name: Name) =>
  createRoute({
    method: 'post',
    path: `/sessions/{id}/tools/${name}`,
    tags,
    summary: summaries[name],
    request: { params, ...body(toolInputs[name]) },
    responses: answersTool(toolAnswers[name], 'What came of it'),
  })

const answered = answersTool(toolAnswers.command, 'What it said, and how it ended')
const command = createRoute({
  method: 'post',
  path: '/sessions/{id}/tools/command',
  tags,
  summary: summaries.command,
  request: { params, ...body(CommandAsked) },
  responses: {
    ...answered,
    200: {
      description: answered[200].description,
      content: { 'application/json': { schema: one(toolAnswers.command) }, 'text/event-stream': {} },
    },
  },
})

const health = createRoute({
  method: 'get',
  path: '/sessions/{id}/tools/health',
  tags,
  summary: 'Whether the workspace of a session answers; it is opened if it was not',
  request: { params },
  responses: answersTool(ToolHealth, 'It answers'),
})

const app = createRoute({
  method: 'post',
  path: '/sessions/{id}/tools/app',
  tags,
  summary: 'Start, stop or restart the app of the workspace',
  request: { params, ...body(AppAsked) },
  responses: answersTool(AppAnswer, 'The app as it is now'),
})

export function sessionToolsRoutes({ pool, settings }: Pick<Parts, 'pool'> & { settings: ToolSettings }) {
  const room = newRoom()
  const desk = openToolDesk(pool.db)
  room.use('/sessions/:id/tools/*', requireOneScope('tools', 'run'))

  const asked = (c: Context<Env>, sessionId: string) => ({
    by: c.get('principal'),
    sessionId,
    signal: c.req.raw.signal,
    limitMs: longestUnstreamedMs,
  })

  for (const name of plainTools)
    room.openapi(toolRoute(name), async (c) => {
      const input = c.req.valid('json') as ToolInput<typeof name>
      const about = subjectOf(name, input)
      const call = { ...asked(c, c.req.valid('param').id), tool: name, name, input, about }
      const data = await desk.call(call, toolAnswers[name])
      return c.json({ data }, 200)
    })

  room.openapi(command, async (c) => {
    const by = c.get('principal')
    const { confirm = false, ...wanted } = c.req.valid('json')
    const input = { ...wanted, confirm: confirm && isPerson(by) }
    const hungUp = new AbortController()
    const call = {
      ...asked(c, c.req.valid('param').id),
      signal: AbortSignal.any([c.req.raw.signal, hungUp.signal]),
      limitMs: input.timeout + killMs,
      name: 'command',
      input,
      about: subjectOf('command', input),
      check: async ({ agentId }: { agentId: string | null }) =>
        checkCommand(by, input, {
          rules: await rulesFor(pool.db, agentId),
          configured: configuredRules(settings.current().policies),
        }),
    }
    if (!input.stream) {
      const data = await desk.call({ ...call, tool: 'command' }, toolAnswers.command)
      return c.json({ data }, 200)
    }
    const begun = await desk.begin({ ...call, tool: 'stream' })
    return c.body(
      commandEvents(begun, c.req.raw.signal, () => hungUp.abort()),
      200,
      streamHeaders,
    )
  })

  room.openapi(health, async (c) => {
    const call = { ...asked(c, c.req.valid('param').id), tool: 'health' as const, name: 'health' }
    return c.json({ data: await desk.call({ ...call, input: {}, about: {} }, ToolHealth) }, 200)
  })

  room.openapi(app, async (c) => {
    const input = c.req.valid('json')
    const call = { ...asked(c, c.req.valid('param').id), tool: 'app' as const, name: 'app' }
    return c.json({ data: await desk.call({ ...call, input, about: input }, AppAnswer) }, 200)
  })

  return room
}

interface ToolSettings {
  current(): Pick<ReturnType<Parts['settings']['current']>, 'policies'>
}
