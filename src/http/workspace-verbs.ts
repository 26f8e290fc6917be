import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import type { Principal } from '#contract/access.ts'
import type { AskWorkspace } from '#contract/internal.ts'
import { Id } from '#contract/text.ts'
import {
  Archive,
  ArchiveWorkspace,
  CommitWorkspace,
  Committed,
  DiffQuery,
  MergeWorkspace,
  Merged,
  Removed,
  Workspace,
  WorkspaceDiff,
} from '#contract/workspace.ts'
import { chooseMachine } from '#flows/choose-machine.ts'
import { visibleWorkspace } from '#flows/find-workspace.ts'
import { answersOne, body } from './answers.ts'
import { requireOwner, requireScope } from './auth.ts'
import { askWorker } from './owning-worker.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const params = z.strictObject({ id: Id })
const tags = ['workspaces']

const verb = <Shape extends z.ZodType>(
  method: 'get' | 'post' | 'delete',
  path: `/workspaces/{id}${string}`,
  summary: string,
  [shape, answer]: [Shape, string],
) => ({ method, path, tags, summary, request: { params }, responses: answersOne(shape, answer) })

const itself = [Workspace, 'The workspace as it is now'] as [typeof Workspace, string]

const diff = createRoute({
  ...verb('get', '/workspaces/{id}/diff', 'What has changed in it since it was begun, committed or not', [
    WorkspaceDiff,
    'Files, and a unified diff',
  ]),
  request: { params, query: DiffQuery },
})
const commit = createRoute({
  ...verb('post', '/workspaces/{id}/commit', 'Commit everything in it', [Committed, 'The commit, if any']),
  request: { params, ...body(CommitWorkspace) },
})
const merge = createRoute({
  ...verb('post', '/workspaces/{id}/merge', 'Bring a worktree’s branch into its repository', [
    Merged,
    'What it was merged into',
  ]),
  request: { params, ...body(MergeWorkspace) },
})
const archive = createRoute({
  ...verb('post', '/workspaces/{id}/archive', 'Save all its files on its machine, as a tar.zst', [
    Archive,
    'The archive',
  ]),
  request: { params, ...body(ArchiveWorkspace) },
})
const prepare = createRoute(
  verb('post', '/workspaces/{id}/prepare', 'Bring its files and run its setup now', itself),
)
const stop = createRoute(
  verb('post', '/workspaces/{id}/stop', 'End what serves it; refused while anything runs in it', itself),
)
const remove = createRoute(
  verb(
    'delete',
    '/workspaces/{id}',
    'Put it into the trash, whole; a folder of the user’s own is only forgotten, and its files stay',
    [Removed, 'What happened to its files'],
  ),
)
const forget = createRoute(
  verb('post', '/workspaces/{id}/forget', 'Delete one that is in the trash for good, before its time', [
    Removed,
    'What happened to its files',
  ]),
)
const measure = createRoute(
  verb('post', '/workspaces/{id}/measure', 'Find out now what it takes on the disk', itself),
)
const restore = createRoute(
  verb('post', '/workspaces/{id}/restore', 'Undo the trash: everything is back where it was', itself),
)

/** Files may be many. */
const patienceMs = 600_000
/** A diff of a megabyte, written as JSON, and the list of its files. */
const longestAnswer = 16 * 1024 * 1024
const anything = z.unknown()

export function workspaceVerbsRoutes(parts: Pick<Parts, 'pool' | 'machineId'>) {
  const { pool } = parts
  const room = newRoom()
  room.on(['GET', 'POST'], ['/workspaces/:id/diff', '/workspaces/:id/commit'], requireScope('run'))
  const ownersVerbs = ['merge', 'archive', 'prepare', 'stop', 'restore', 'forget', 'measure'].map(
    (name) => `/workspaces/:id/${name}`,
  )
  room.on('POST', ownersVerbs, requireOwner)
  room.on('DELETE', '/workspaces/:id', requireOwner)

  async function ask<Shape extends z.ZodType>(
    by: Principal,
    id: string,
    asked: Pick<AskWorkspace, 'verb' | 'input'>,
    shape: Shape,
  ): Promise<z.infer<Shape>> {
    const { machineId } = await visibleWorkspace(pool.db, by, id)
    const machine = await chooseMachine(pool.db, machineId, parts.machineId)
    const question = { workspaceId: id, by, ...asked } satisfies AskWorkspace
    return askWorker(pool.db, machine, '/workspace-verb', question, shape, patienceMs, longestAnswer)
  }

  room.openapi(diff, async (c) => {
    const { id } = c.req.valid('param')
    const asked = { verb: 'diff', input: c.req.valid('query') } as const
    return c.json({ data: await ask(c.get('principal'), id, asked, WorkspaceDiff) }, 200)
  })
  room.openapi(commit, async (c) => {
    const { id } = c.req.valid('param')
    const asked = { verb: 'commit', input: c.req.valid('json') } as const
    return c.json({ data: await ask(c.get('principal'), id, asked, Committed) }, 200)
  })
  room.openapi(merge, async (c) => {
    const { id } = c.req.valid('param')
    const asked = { verb: 'merge', input: c.req.valid('json') } as const
    return c.json({ data: await ask(c.get('principal'), id, asked, Merged) }, 200)
  })
  room.openapi(archive, async (c) => {
    const { id } = c.req.valid('param')
    const asked = { verb: 'archive', input: c.req.valid('json') } as const
    return c.json({ data: await ask(c.get('principal'), id, asked, Archive) }, 200)
  })
  room.openapi(remove, async (c) => {
    const { id } = c.req.valid('param')
    const data = await ask(c.get('principal'), id, { verb: 'trash', input: {} }, Removed)
    return c.json({ data }, 200)
  })
  room.openapi(forget, async (c) => {
    const { id } = c.req.valid('param')
    const data = await ask(c.get('principal'), id, { verb: 'forget', input: {} }, Removed)
    return c.json({ data }, 200)
  })
  const done = async (by: Principal, id: string, name: 'prepare' | 'stop' | 'restore' | 'measure') => {
    await ask(by, id, { verb: name, input: {} }, anything)
    return { data: await visibleWorkspace(pool.db, by, id) }
  }
  room.openapi(prepare, async (c) =>
    c.json(await done(c.get('principal'), c.req.valid('param').id, 'prepare'), 200),
  )
  room.openapi(stop, async (c) =>
    c.json(await done(c.get('principal'), c.req.valid('param').id, 'stop'), 200),
  )
  room.openapi(measure, async (c) =>
    c.json(await done(c.get('principal'), c.req.valid('param').id, 'measure'), 200),
  )
  room.openapi(restore, async (c) =>
    c.json(await done(c.get('principal'), c.req.valid('param').id, 'restore'), 200),
  )

  return room
}
