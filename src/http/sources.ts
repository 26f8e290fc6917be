import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import type { AskAddSource, AskImport, AskSource } from '#contract/internal.ts'
import {
  AddSource,
  EditSource,
  HealthListing,
  ImportSources,
  ImportedSources,
  Source,
} from '#contract/source.ts'
import { prose } from '#contract/text.ts'
import { findMachine } from '#db/machines.ts'
import type { Machine } from '#db/machines.ts'
import { Problem } from '#domain/problem.ts'
import { chooseMachine } from '#flows/choose-machine.ts'
import { theSource } from '#flows/find-source.ts'
import { answersCreated, answersMany, answersNothing, answersOne, body } from './answers.ts'
import { requireOwner, requireScope } from './auth.ts'
import { askMachine } from './machine-answers.ts'
import { doesNotFit, newRoom } from './room.ts'
import type { Parts } from './room.ts'
import { healthOf, listedFor } from './source-health.ts'

const tags = ['mcp']
const params = z.strictObject({ name: prose(100).min(1) })

const add = createRoute({
  method: 'post',
  path: '/mcp/add',
  tags,
  summary: 'Register a source of tools: an MCP server, an OpenAPI document, a LangChain module',
  request: body(AddSource),
  responses: answersCreated(Source, 'The source; its secrets are only said to be there'),
})
const list = createRoute({
  method: 'get',
  path: '/mcp',
  tags,
  summary: 'List the sources that you may use; how they are reached is for the owner',
  responses: answersMany(Source, 'All of them'),
})
const health = createRoute({
  method: 'get',
  path: '/mcp/health',
  tags,
  summary: 'How the sources are: the last error, and when it is tried again',
  responses: answersOne(HealthListing, 'All sources that you may use'),
})
const importFrom = createRoute({
  method: 'post',
  path: '/mcp/import',
  tags,
  summary: 'Take what Claude, Codex or Gemini on the machine were told of MCP servers',
  request: body(ImportSources),
  responses: answersOne(ImportedSources, 'What was taken, and why not the rest'),
})
const edit = createRoute({
  method: 'patch',
  path: '/mcp/{name}',
  tags,
  summary: 'Change what a source is held to, or switch it off',
  request: { params, ...body(EditSource) },
  responses: answersOne(Source, 'The source as it is now'),
})
const retry = createRoute({
  method: 'post',
  path: '/mcp/{name}/retry',
  tags,
  summary: 'Connect again, now',
  request: { params },
  responses: answersOne(Source, 'The source as it is now'),
})
const remove = createRoute({
  method: 'delete',
  path: '/mcp/{name}',
  tags,
  summary: 'Remove a source, with its program and its secrets',
  request: { params },
  responses: answersNothing('It is gone'),
})

/** Longer than the worker waits for the first word of a source, for each that is imported. */
const addMs = 30_000
const importMs = 300_000

export function sourcesRoutes(parts: Pick<Parts, 'pool' | 'machineId'>) {
  const { db } = parts.pool
  const room = newRoom()
  room.on('GET', ['/mcp', '/mcp/health'], requireScope('tools'))
  room.on('POST', ['/mcp/add', '/mcp/import', '/mcp/:name/retry'], requireOwner)
  room.on(['PATCH', 'DELETE'], '/mcp/:name', requireOwner)

  room.openapi(
    add,
    async (c) => {
      const { machineId, ...wanted } = c.req.valid('json')
      const machine = await chooseMachine(db, machineId, parts.machineId)
      const asked = { by: c.get('principal'), ...wanted } satisfies AskAddSource
      const data = await askMachine(db, machine, '/sources/add', asked, Source, AbortSignal.timeout(addMs))
      return c.json({ data }, 201)
    },
    (result) => {
      if (result.success) return
      const { message, context } = doesNotFit(result.target, result.error)
      throw new Problem('bad_source', message, context)
    },
  )

  room.openapi(list, async (c) => {
    const data = await listedFor(parts, c.get('principal'))
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })

  room.openapi(health, async (c) => c.json({ data: await healthOf(parts, c.get('principal')) }, 200))

  room.openapi(importFrom, async (c) => {
    const { machineId, ...wanted } = c.req.valid('json')
    const machine = await chooseMachine(db, machineId, parts.machineId)
    const asked = { by: c.get('principal'), ...wanted } satisfies AskImport
    const signal = AbortSignal.timeout(importMs)
    return c.json(
      { data: await askMachine(db, machine, '/sources/import', asked, ImportedSources, signal) },
      200,
    )
  })

  room.openapi(edit, async (c) => {
    const { name } = c.req.valid('param')
    const asked = { by: c.get('principal'), name, edit: c.req.valid('json') } satisfies AskSource
    return c.json({ data: await askItsMachine(name, '/sources/edit', asked, Source) }, 200)
  })

  room.openapi(retry, async (c) => {
    const { name } = c.req.valid('param')
    const asked = { by: c.get('principal'), name } satisfies AskSource
    return c.json({ data: await askItsMachine(name, '/sources/retry', asked, Source) }, 200)
  })

  room.openapi(remove, async (c) => {
    const { name } = c.req.valid('param')
    const asked = { by: c.get('principal'), name } satisfies AskSource
    await askItsMachine(name, '/sources/remove', asked, z.object({}))
    return c.body(null, 204)
  })

  async function askItsMachine<Shape extends z.ZodType>(
    name: string,
    path: string,
    asked: AskSource,
    shape: Shape,
  ): Promise<z.infer<Shape>> {
    const { machineId } = await theSource(db, name)
    const machine: Machine | undefined = await findMachine(db, machineId)
    if (!machine) throw new Problem('machine_unavailable', `The machine of ${name} is not known`)
    return askMachine(db, machine, path, asked, shape, AbortSignal.timeout(addMs))
  }

  return room
}
