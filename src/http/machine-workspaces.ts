import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { DiskOnMachine } from '#contract/internal.ts'
import type { AskArchive, AskDrivers, AskFolders, AskPrune } from '#contract/internal.ts'
import { Id } from '#contract/text.ts'
import {
  Archive,
  DriverOnMachine,
  MachineDisk,
  Folder,
  FolderQuery,
  MachineDrivers,
  PruneWorkspaces,
  Pruned,
  Removed,
  WorkspaceDriver,
} from '#contract/workspace.ts'
import { listMachines } from '#db/machines.ts'
import type { Machine } from '#db/machines.ts'
import { sumDisk } from '#db/workspace-reads.ts'
import type { DiskSums } from '#db/workspace-reads.ts'
import { Problem } from '#domain/problem.ts'
import { chooseMachine } from '#flows/choose-machine.ts'
import { answersBytes, answersMany, answersOne, body } from './answers.ts'
import { requireOneScope, requireOwner } from './auth.ts'
import { askWorker, openWorker } from './owning-worker.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const tags = ['workspaces']
const onMachine = z.strictObject({ machineId: Id.optional() })
const params = z.strictObject({ name: z.string().min(1).max(300) })

const drivers = createRoute({
  method: 'get',
  path: '/workspaces/drivers',
  tags,
  summary: 'Which kinds of workspaces each machine can have, as it was really tried, and why not',
  request: { query: z.strictObject({ fresh: z.enum(['0', '1']).default('0') }) },
  responses: answersMany(MachineDrivers, 'All machines'),
})
const disk = createRoute({
  method: 'get',
  path: '/workspaces/disk',
  tags,
  summary: 'What workspaces, their trash and their archives take on each machine, and what is free there',
  responses: answersMany(MachineDisk, 'All machines'),
})
const folders = createRoute({
  method: 'get',
  path: '/workspaces/folders',
  tags,
  summary: 'Folders of a machine that may become workspaces, and whether they are repositories',
  request: { query: FolderQuery },
  responses: answersMany(Folder, 'What the machine allows, and the repositories right below'),
})
const prune = createRoute({
  method: 'post',
  path: '/workspaces/prune',
  tags,
  summary: 'Remove what crashes left behind and belongs to nobody; with dryRun it is only told',
  request: body(PruneWorkspaces),
  responses: answersOne(Pruned, 'What goes, or went'),
})
const archives = createRoute({
  method: 'get',
  path: '/workspaces/archives',
  tags,
  summary: 'Archives of workspaces that a machine keeps',
  request: { query: onMachine },
  responses: answersMany(Archive, 'All archives of the machine'),
})
const download = createRoute({
  method: 'get',
  path: '/workspaces/archives/{name}',
  tags,
  summary: 'Download an archive',
  request: { params, query: onMachine },
  responses: answersBytes('application/zstd', 'A tar.zst'),
})
const removeArchive = createRoute({
  method: 'delete',
  path: '/workspaces/archives/{name}',
  tags,
  summary: 'Remove an archive for good',
  request: { params, query: onMachine },
  responses: answersOne(Removed, 'It is gone'),
})

const triesMs = 30_000
const removesMs = 600_000

/** What is asked of machines, about all their workspaces. */
export function machineWorkspacesRoutes(parts: Pick<Parts, 'pool' | 'machineId'>) {
  const { db } = parts.pool
  const room = newRoom()
  room.on('GET', '/workspaces/drivers', requireOneScope('run', 'board'))
  room.on('GET', '/workspaces/disk', requireOwner)
  room.on('GET', '/workspaces/folders', requireOwner)
  room.on('POST', '/workspaces/prune', requireOwner)
  room.on(['GET', 'DELETE'], ['/workspaces/archives', '/workspaces/archives/:name'], requireOwner)

  room.openapi(drivers, async (c) => {
    const fresh = c.req.valid('query').fresh === '1'
    const data = await Promise.all((await listMachines(db)).map((machine) => driversOn(machine, fresh)))
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })

  async function driversOn(machine: Machine, fresh: boolean): Promise<MachineDrivers> {
    const asked = { fresh } satisfies AskDrivers
    const found = await askWorker(db, machine, '/drivers', asked, z.array(DriverOnMachine), triesMs).catch(
      (error: unknown) => {
        if (!(error instanceof Problem)) throw error
        const unknown = { works: false, reason: error.message, lacks: [], version: null }
        return WorkspaceDriver.options.map((driver) => ({ driver, ...unknown }))
      },
    )
    return { machineId: machine.id, drivers: found }
  }

  room.openapi(disk, async (c) => {
    const sums = await sumDisk(db)
    const machines = await listMachines(db)
    const data = await Promise.all(machines.map((machine) => diskOn(machine, sums.get(machine.id))))
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })

  async function diskOn(machine: Machine, sums: DiskSums = { workspaces: 0, trash: 0, unmeasured: 0 }) {
    const here = { machineId: machine.id, ...sums }
    return askWorker(db, machine, '/disk', {}, DiskOnMachine, triesMs).then(
      (told): MachineDisk => ({ ...here, ...told, reason: null }),
      (error: unknown): MachineDisk => {
        if (!(error instanceof Problem)) throw error
        return { ...here, archives: null, freeBytes: null, reason: error.message }
      },
    )
  }

  room.openapi(folders, async (c) => {
    const { machineId, path } = c.req.valid('query')
    const machine = await chooseMachine(db, machineId, parts.machineId)
    const asked = { path } satisfies AskFolders
    const data = await askWorker(db, machine, '/folders', asked, z.array(Folder), triesMs)
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })

  room.openapi(prune, async (c) => {
    const { dryRun, machineId } = c.req.valid('json')
    const asked = { dryRun, by: c.get('principal') } satisfies AskPrune
    const machines = machineId
      ? [await chooseMachine(db, machineId, parts.machineId)]
      : await listMachines(db)
    const all: Pruned[] = []
    for (const machine of machines) all.push(await askWorker(db, machine, '/prune', asked, Pruned, removesMs))
    const bytes = all.reduce((sum, one) => sum + one.bytes, 0)
    return c.json({ data: { isDryRun: dryRun, items: all.flatMap(({ items }) => items), bytes } }, 200)
  })

  room.openapi(archives, async (c) => {
    const machine = await chooseMachine(db, c.req.valid('query').machineId, parts.machineId)
    const data = await askWorker(db, machine, '/archives', {}, z.array(Archive), triesMs)
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })

  room.openapi(download, async (c) => {
    const { name } = c.req.valid('param')
    const machine = await chooseMachine(db, c.req.valid('query').machineId, parts.machineId)
    const asked = { name, by: c.get('principal') } satisfies AskArchive
    const answer = await openWorker(db, machine, '/archive', JSON.stringify(asked), c.req.raw.signal)
    return new Response(ReadableStream.from(answer.body), {
      headers: {
        'content-type': 'application/zstd',
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      },
    })
  })

  room.openapi(removeArchive, async (c) => {
    const { name } = c.req.valid('param')
    const machine = await chooseMachine(db, c.req.valid('query').machineId, parts.machineId)
    const asked = { name, by: c.get('principal') } satisfies AskArchive
    return c.json({ data: await askWorker(db, machine, '/remove-archive', asked, Removed, triesMs) }, 200)
  })

  return room
}
