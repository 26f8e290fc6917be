import { Hono } from 'hono'
import { Principal } from '#contract/access.ts'
import {
  AskAccept,
  AskAddSource,
  AskCall,
  AskHealth,
  AskImport,
  AskSource,
  AskTokens,
  AskTools,
} from '#contract/internal.ts'
import { READ_RESULT, ReadResult } from '#contract/tool.ts'
import type { Tool, ToolAnswer, ToolListing } from '#contract/tool.ts'
import { isGranted } from '#domain/source.ts'
import type { Caller, Registry } from '#tools/port.ts'
import { asProblem } from './as-problem.ts'
import { authorizeRoutes } from './authorize-routes.ts'
import { codeTokens } from './code-tokens.ts'
import type { MachineTools } from './machine-tools.ts'

const mostFound = 200

/** What web asks of the tools of this machine. */
export function toolRoutes(tools: () => Promise<MachineTools>): Hono {
  const app = new Hono()

  app.post('/tools', async (c) => {
    const { by, query } = AskTools.parse(await c.req.json())
    const { registry, callerOf } = await tools()
    const caller = await callerOf(by, { sessionId: query.sessionId })
    return c.json({ data: listingOf(registry, caller, query) })
  })
  app.post('/tools/call', async (c) => {
    const { by, name, args, sessionId, confirm, inCode } = AskCall.parse(await c.req.json())
    const { registry, callerOf } = await tools()
    const known = await callerOf(by, { sessionId, confirmed: confirm })
    const caller = inCode ? { ...known, inCode } : known
    const since = performance.now()
    const result = await told(
      name === READ_RESULT
        ? registry.readResult(caller, ReadResult.parse(args))
        : registry.call(caller, name, args, { signal: c.req.raw.signal }),
    )
    const answer: ToolAnswer = { result, executionTime: performance.now() - since }
    return c.json({ data: answer })
  })
  app.post('/tools/accept', async (c) => {
    const { by, name } = AskAccept.parse(await c.req.json())
    await told((await tools()).registry.accept(name, by.id))
    return c.json({ data: {} })
  })
  app.post('/tools/tokens', async (c) => {
    const { by } = AskTokens.parse(await c.req.json())
    const here = await tools()
    const caller = await here.callerOf(by)
    return c.json({ data: await codeTokens(here.listed(caller, 'all'), here.listed(caller, 'code')) })
  })
  app.post('/tools/metrics', async (c) => c.json({ data: await (await tools()).registry.metrics() }))

  app.post('/sources/add', async (c) => {
    const { by, name, config } = AskAddSource.parse(await c.req.json())
    return c.json({ data: await (await tools()).sources.add(by.id, { name, config }, 'api') })
  })
  app.post('/sources/edit', async (c) => {
    const { by, name, edit = {} } = AskSource.parse(await c.req.json())
    return c.json({ data: await (await tools()).sources.edit(by.id, name, edit) })
  })
  app.post('/sources/remove', async (c) => {
    const { by, name } = AskSource.parse(await c.req.json())
    await (await tools()).sources.remove(by.id, name)
    return c.json({ data: {} })
  })
  app.post('/sources/retry', async (c) => {
    const { name } = AskSource.parse(await c.req.json())
    return c.json({ data: await (await tools()).sources.retry(name) })
  })
  app.post('/sources/import', async (c) => {
    const { by, ...wanted } = AskImport.parse(await c.req.json())
    return c.json({ data: await (await tools()).importSources(by.id, wanted) })
  })
  app.post('/sources/health', async (c) => {
    const { by } = AskHealth.parse(await c.req.json())
    const { sources } = await tools()
    const granted = new Set(
      sources.rows().flatMap(({ name, config }) => (isGranted(config.grants, by) ? [name] : [])),
    )
    return c.json({ data: sources.health().filter(({ name }) => granted.has(name)) })
  })

  app.route(
    '/',
    authorizeRoutes(async () => (await tools()).authorizing()),
  )

  for (const path of ['/mcp', '/mcp/*'])
    app.all(path, async (c) =>
      (await tools()).mcp(c.req.raw, principalIn(c.req.header('x-signalbox-principal'))),
    )
  return app
}

/** Said by web, which alone can ask here. */
function principalIn(header: string | undefined): Principal {
  return Principal.parse(JSON.parse(Buffer.from(header ?? '', 'base64url').toString('utf8')))
}

function listingOf(
  registry: Registry,
  caller: Caller,
  { q, source }: { q?: string | undefined; source?: string | undefined },
): ToolListing {
  const found =
    q === undefined
      ? registry.list(caller)
      : registry.search(caller, q, mostFound).flatMap(({ name }) => registry.find(caller, name) ?? [])
  const namespaces: ToolListing['namespaces'] = {}
  for (const tool of found) {
    if (source !== undefined && tool.source !== source) continue
    const namespace = (namespaces[tool.source] ??= descriptionOf(registry, tool))
    namespace.tools.push(tool)
  }
  const theirs = new Set(registry.sources(caller).map(({ name }) => name))
  const collisions = registry
    .collisions()
    .filter((one) => theirs.has(one.source) && (source === undefined || one.source === source))
  return { namespaces, collisions }
}

const descriptionOf = (registry: Registry, { source }: Tool) => ({
  description: registry.source(source)?.description ?? '',
  tools: [],
})

/** Refusals of the registry as problems. */
const told = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    throw asProblem(error)
  })
