import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { CheckedWorkspace } from '#contract/internal.ts'
import type { CheckWorkspace } from '#contract/internal.ts'
import { Id } from '#contract/text.ts'
import { CreateWorkspace, EditWorkspace, Workspace, WorkspaceQuery } from '#contract/workspace.ts'
import { listWorkspaces } from '#db/workspace-reads.ts'
import { chooseMachine } from '#flows/choose-machine.ts'
import { createWorkspace, editWorkspace } from '#flows/create-workspace.ts'
import { visibleWorkspace } from '#flows/find-workspace.ts'
import { newId } from '#lib/id.ts'
import { answersCreated, answersMany, answersOne, body } from './answers.ts'
import { requireOneScope, requireOwner } from './auth.ts'
import { askWorker } from './owning-worker.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const params = z.strictObject({ id: Id })
const tags = ['workspaces']

const list = createRoute({
  method: 'get',
  path: '/workspaces',
  tags,
  summary: 'List workspaces, newest first; the owner sees all of them, others those of their sessions',
  request: { query: WorkspaceQuery },
  responses: answersMany(Workspace, 'A page of workspaces'),
})

const create = createRoute({
  method: 'post',
  path: '/workspaces',
  tags,
  summary:
    'Register a folder, or make a sandbox or a container; its files are brought when it is first needed',
  request: body(CreateWorkspace),
  responses: answersCreated(Workspace, 'The workspace'),
})

const read = createRoute({
  method: 'get',
  path: '/workspaces/{id}',
  tags,
  summary: 'Read a workspace',
  request: { params },
  responses: answersOne(Workspace, 'The workspace'),
})

const edit = createRoute({
  method: 'patch',
  path: '/workspaces/{id}',
  tags,
  summary: 'Change a workspace; what is at work in it goes on as it was',
  request: { params, ...body(EditWorkspace) },
  responses: answersOne(Workspace, 'The workspace as it is now'),
})

/** Drivers are really tried. */
const patienceMs = 30_000

export function workspacesRoutes(parts: Pick<Parts, 'pool' | 'machineId'>) {
  const { pool } = parts
  const room = newRoom()
  room.on('GET', ['/workspaces', '/workspaces/:id'], requireOneScope('run', 'board'))
  room.on(['POST', 'PATCH'], ['/workspaces', '/workspaces/:id'], requireOwner)

  room.openapi(list, async (c) => {
    const query = c.req.valid('query')
    const { kind, id } = c.get('principal')
    const { data, total } = await listWorkspaces(pool.db, query, kind === 'owner' ? undefined : id)
    return c.json({ data, meta: { total, page: query.page, pageSize: query.pageSize } }, 200)
  })

  room.openapi(create, async (c) => {
    const wanted = c.req.valid('json')
    const by = c.get('principal')
    const machine = await chooseMachine(pool.db, wanted.machineId, parts.machineId)
    const { driver, root = null, source = null } = wanted
    const asked = { id: newId(), driver, root, source } satisfies CheckWorkspace
    const checked = await askWorker(pool.db, machine, '/check-workspace', asked, CheckedWorkspace, patienceMs)
    const place = { id: asked.id, machineId: machine.id, checked }
    const id = await pool.transaction((tx) => createWorkspace(tx, by, place, wanted))
    return c.json({ data: await visibleWorkspace(pool.db, by, id) }, 201)
  })

  room.openapi(read, async (c) => {
    const { id } = c.req.valid('param')
    return c.json({ data: await visibleWorkspace(pool.db, c.get('principal'), id) }, 200)
  })

  room.openapi(edit, async (c) => {
    const { id } = c.req.valid('param')
    const by = c.get('principal')
    await pool.transaction((tx) => editWorkspace(tx, by, id, c.req.valid('json')))
    return c.json({ data: await visibleWorkspace(pool.db, by, id) }, 200)
  })

  return room
}
