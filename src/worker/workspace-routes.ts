import { statfs } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { Hono } from 'hono'
import {
  AskArchive,
  AskDrivers,
  AskFolders,
  AskPrune,
  AskWorkspace,
  CheckWorkspace,
} from '#contract/internal.ts'
import type { DiskOnMachine } from '#contract/internal.ts'
import type { Removed } from '#contract/workspace.ts'
import { noteAudit } from '#db/audit.ts'
import { asProblem } from './as-problem.ts'
import { checkWorkspace } from './check-workspace.ts'
import { listFolders } from './list-folders.ts'
import { prune } from './prune.ts'
import { openWorkspaceVerbs } from './workspace-verbs.ts'
import type { VerbNeeds } from './workspace-verbs.ts'

/** What web asks of the workspaces of this machine. */
export function workspaceRoutes(needs: () => VerbNeeds): Hono {
  const app = new Hono()
  let verbs: ReturnType<typeof openWorkspaceVerbs> | undefined

  app.post('/drivers', async (c) => {
    const { fresh } = AskDrivers.parse(await c.req.json())
    return c.json({ data: await needs().workspaces.drivers(fresh) })
  })
  app.post('/folders', async (c) => {
    const { path } = AskFolders.parse(await c.req.json())
    return c.json({ data: await listFolders(needs(), path) })
  })
  app.post('/check-workspace', async (c) => {
    return c.json({ data: await checkWorkspace(needs(), CheckWorkspace.parse(await c.req.json())) })
  })
  app.post('/workspace-verb', async (c) => {
    verbs ??= openWorkspaceVerbs(needs())
    return c.json({ data: await verbs(AskWorkspace.parse(await c.req.json())) })
  })
  app.post('/prune', async (c) => {
    return c.json({ data: await told(prune(needs(), AskPrune.parse(await c.req.json()))) })
  })
  app.post('/disk', async (c) => {
    const { workspaces, config } = needs()
    const archives = (await told(workspaces.archives())).reduce((sum, { bytes }) => sum + bytes, 0)
    const { bavail, bsize } = await statfs(config().home)
    return c.json({ data: { archives, freeBytes: bavail * bsize } satisfies DiskOnMachine })
  })
  app.post('/archives', async (c) => c.json({ data: await told(needs().workspaces.archives()) }))
  app.post('/archive', async (c) => {
    const { name } = AskArchive.parse(await c.req.json())
    const { bytes, stream } = await told(needs().workspaces.openArchive(name))
    return new Response(Readable.toWeb(Readable.from(stream)) as ReadableStream, {
      headers: { 'content-type': 'application/zstd', 'content-length': String(bytes) },
    })
  })
  app.post('/remove-archive', async (c) => {
    const { name, by } = AskArchive.parse(await c.req.json())
    await told(needs().workspaces.removeArchive(name))
    const subject = 'remove archive'
    await noteAudit(needs().pool.db, {
      kind: 'workspace',
      actor: by.id,
      subject,
      outcome: 'ok',
      detail: { name },
    })
    return c.json({
      data: { filesRemoved: true, message: `The archive ${name} is removed` } satisfies Removed,
    })
  })
  return app
}

/** Refusals of ours as problems. */
const told = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    throw asProblem(error) ?? error
  })
