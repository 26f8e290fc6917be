import { createRoute } from '@hono/zod-openapi'
import { etag } from 'hono/etag'
import { z } from 'zod'
import type { AskAccept, AskCall, AskTools } from '#contract/internal.ts'
import {
  AcceptedTool,
  CallTool,
  READ_RESULT,
  ReadResult,
  ToolAnswer,
  ToolListing,
  ToolsQuery,
  machineOfHandle,
} from '#contract/tool.ts'
import { prose } from '#contract/text.ts'
import { findAcceptedTool } from '#db/accepted-tool.ts'
import { findMachine } from '#db/machines.ts'
import type { Machine } from '#db/machines.ts'
import { findSource, listSources } from '#db/sources.ts'
import { findToolPlace } from '#db/tool-place.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { chooseMachine } from '#flows/choose-machine.ts'
import { answersOne, answersTool, body } from './answers.ts'
import { requireOwner, requireScope } from './auth.ts'
import { askAll, askMachine } from './machine-answers.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const tags = ['tools']
const params = z.strictObject({ name: prose(300).min(1) })

const list = createRoute({
  method: 'get',
  path: '/tools',
  tags,
  summary: 'List the tools that you may call, by where they come from; with q, the ones that fit best',
  request: { query: ToolsQuery },
  responses: answersOne(ToolListing, 'The tools of all machines that answer'),
})

const call = createRoute({
  method: 'post',
  path: '/tools/{name}/call',
  tags,
  summary:
    'Call a tool by its name, as `github.create_issue`; `read_result` reads on in an answer that was cut',
  request: { params, ...body(CallTool) },
  responses: answersTool(ToolAnswer, 'What the tool answered; `isError` in it is its own word'),
})

const accept = createRoute({
  method: 'post',
  path: '/tools/{name}/accept',
  tags,
  summary: 'Accept the definition of a tool as it is now, after its source has changed it',
  request: { params },
  responses: answersOne(z.object({}), 'It can be called again'),
})

const accepted = createRoute({
  method: 'get',
  path: '/tools/{name}/accepted',
  tags,
  summary: 'Read what a tool said of itself when it was accepted',
  request: { params },
  responses: answersOne(AcceptedTool, 'Its definition then'),
})

/** Longer than any call may take, with what waits before it. */
const callPatienceMs = 2 * 3_600_000

export function toolsRoutes(parts: Pick<Parts, 'pool' | 'machineId'>) {
  const { db } = parts.pool
  const room = newRoom()
  room.use('/tools', etag())
  room.use('/tools', requireScope('tools'))
  room.use('/tools/:name/call', requireScope('tools'))
  room.use('/tools/:name/accept', requireOwner)
  room.use('/tools/:name/accepted', requireOwner)

  room.openapi(list, async (c) => {
    const query = c.req.valid('query')
    const machine = query.sessionId === undefined ? undefined : await machineOf(query.sessionId)
    const asked = { by: c.get('principal'), query } satisfies AskTools
    const data = machine
      ? await askMachine(db, machine, '/tools', asked, ToolListing, AbortSignal.timeout(callPatienceMs))
      : merged(
          await askAll(db, { path: '/tools', body: asked, shape: ToolListing, first: parts.machineId }),
          await placesOf(),
        )
    return c.json({ data }, 200)
  })

  room.openapi(call, async (c) => {
    const { name } = c.req.valid('param')
    const wanted = c.req.valid('json')
    const machine =
      name === READ_RESULT ? await machineKeeping(wanted.args) : await machineFor(name, wanted.sessionId)
    const asked = { by: c.get('principal'), name, ...wanted } satisfies AskCall
    const signal = AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(callPatienceMs)])
    return c.json({ data: await askMachine(db, machine, '/tools/call', asked, ToolAnswer, signal) }, 200)
  })

  room.openapi(accept, async (c) => {
    const { name } = c.req.valid('param')
    const asked = { by: c.get('principal'), name } satisfies AskAccept
    const signal = AbortSignal.timeout(10_000)
    await askMachine(db, await machineFor(name, undefined), '/tools/accept', asked, z.object({}), signal)
    return c.json({ data: {} }, 200)
  })

  room.openapi(accepted, async (c) => {
    const { name } = c.req.valid('param')
    const source = namespaceOf(name)
    const data = await findAcceptedTool(db, source, name.slice(source.length).replace(/^(?:\.|__)/, ''))
    if (!data) throw new Problem('tool_not_found', `Nothing was accepted under the name ${name}`)
    return c.json({ data }, 200)
  })

  /** Where a source is, its tools are; our own are everywhere, and a workspace is where its session is. */
  async function machineFor(name: string, sessionId: string | undefined): Promise<Machine> {
    const source = await findSource(db, namespaceOf(name))
    const there = source && (await findMachine(db, source.machineId))
    if (there) return there
    return (sessionId !== undefined && (await machineOf(sessionId))) || ours()
  }

  /** The rest of an answer is where it was cut. */
  async function machineKeeping(args: Record<string, unknown>): Promise<Machine> {
    const checked = ReadResult.safeParse(args)
    const issue = checked.error?.issues[0]
    if (issue) throw bodyMisfit(`args.${issue.path.join('.')}`, issue.message)
    const id = machineOfHandle(checked.data?.handle)
    return (id !== undefined && (await findMachine(db, id))) || ours()
  }

  const placesOf = async () => new Map((await listSources(db)).map((row) => [row.name, row.machineId]))
  const machineOf = async (sessionId: string) => (await findToolPlace(db, sessionId))?.machine ?? undefined
  const ours = async () =>
    (await findMachine(db, parts.machineId)) ?? chooseMachine(db, undefined, parts.machineId)

  return room
}

/** Of `namespace.tool`, or of `namespace__tool`. */
const namespaceOf = (name: string): string => name.split(/\.|__/, 1)[0] ?? name

/** A source is told by its own machine, although others know of it; what all have is told once. */
function merged(
  answers: Awaited<ReturnType<typeof askAll<typeof ToolListing>>>,
  places: ReadonlyMap<string, string>,
): ToolListing {
  const listing: ToolListing = { namespaces: {}, collisions: [] }
  for (const answer of answers) {
    if (!('data' in answer)) continue
    const isTold = (source: string) => (places.get(source) ?? answer.machine.id) === answer.machine.id
    for (const [name, namespace] of Object.entries(answer.data.namespaces))
      if (isTold(name)) listing.namespaces[name] ??= namespace
    listing.collisions.push(...answer.data.collisions.filter(({ source }) => isTold(source)))
  }
  return listing
}
