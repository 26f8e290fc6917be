import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { Agent } from '#contract/agent.ts'
import {
  AskDescription,
  AskScan,
  ConfirmFound,
  DescribedProgram,
  DiscoveryQuery,
  FoundProgram,
  ScanProgress,
} from '#contract/discovery.ts'
import { DISCOVERY_STREAM } from '#contract/event.ts'
import type { AskConfirm, AskDescribe } from '#contract/internal.ts'
import { Id } from '#contract/text.ts'
import { asDescribed, listDiscovered } from '#db/discovered-list.ts'
import { lastSeq } from '#db/events.ts'
import { findScan, isScanOld } from '#db/scans.ts'
import { Problem } from '#domain/problem.ts'
import { theFound, theFoundOnOneMachine } from '#flows/find-found.ts'
import { hideFound } from '#flows/hide-found.ts'
import { machineById, theMachine } from '#flows/the-machine.ts'
import { answersAccepted, answersMany, answersOne, answersStream, body } from './answers.ts'
import { requireOneScope, requireOwner } from './auth.ts'
import { answerStream, resume } from './event-stream.ts'
import { askMachine } from './machine-answers.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const tags = ['discovery']
const params = z.strictObject({ id: Id })

const scan = createRoute({
  method: 'post',
  path: '/discovery/scan',
  tags,
  summary: 'Look for the programs of a machine; a look that is under way is joined',
  request: { body: { content: { 'application/json': { schema: AskScan } } } },
  responses: answersAccepted(ScanProgress, 'How it goes; `GET discovery/stream` tells the rest'),
})

const lastScan = createRoute({
  method: 'get',
  path: '/discovery/scan',
  tags,
  summary: 'How the last scan of a machine went, or how it goes',
  request: { query: AskScan },
  responses: answersOne(ScanProgress.nullable(), 'Null before the first'),
})

const stream = createRoute({
  method: 'get',
  path: '/discovery/stream',
  tags,
  summary: 'How scans go, live: first how the last one went, then each step as it happens',
  request: resume,
  responses: answersStream(
    'Server-sent events as of `sse/board`, of the type `scan`; the payload is a ScanProgress, of any machine',
  ),
})

const list = createRoute({
  method: 'get',
  path: '/discovery',
  tags,
  summary: 'What was found: coding agents first, then what is used most',
  request: { query: DiscoveryQuery },
  responses: answersMany(FoundProgram, 'A page of programs'),
})

const read = createRoute({
  method: 'get',
  path: '/discovery/{id}',
  tags,
  summary: 'A program with what it can be asked for; looked at now if the owner asks and nobody has before',
  request: { params },
  responses: answersOne(DescribedProgram, 'The program'),
})

const describe = createRoute({
  method: 'post',
  path: '/discovery/{id}/describe',
  tags,
  summary: 'Look again at what a program can be asked for; a model is asked only when you say so',
  request: { params, ...body(AskDescription) },
  responses: answersOne(DescribedProgram, 'The program; `schemaTrouble` says why nothing is known, if so'),
})

const confirm = createRoute({
  method: 'post',
  path: '/discovery/confirm',
  tags,
  summary: 'Make agents of programs, all or none; or hide them, or show them again',
  request: body(ConfirmFound),
  responses: answersMany(Agent, 'The agents that they are now; none for those that were hidden or shown'),
})

/** After that a search has somebody look again, behind it. */
const oldAfterMs = 600_000
const scanMs = 10_000
/** Longer than what a program is asked in its walls, and a model. */
const describeMs = 180_000
const confirmMs = 120_000

export function discoveryRoutes(parts: Pick<Parts, 'pool' | 'streams' | 'machineId' | 'log'>) {
  const { pool, streams, log } = parts
  const room = newRoom()
  room.on('GET', ['/discovery', '/discovery/*'], requireOneScope('board', 'run'))
  room.on('POST', ['/discovery/scan', '/discovery/confirm', '/discovery/:id/describe'], requireOwner)

  async function beginScan(machineId: string | undefined): Promise<ScanProgress> {
    const machine = await theMachine(pool.db, machineId, parts.machineId)
    const signal = AbortSignal.timeout(scanMs)
    return askMachine(pool.db, machine, '/discovery/scan', {}, ScanProgress, signal)
  }

  async function lookBehind(machineId: string | undefined): Promise<void> {
    const { id } = await theMachine(pool.db, machineId, parts.machineId)
    if (await isScanOld(pool.db, id, oldAfterMs)) await beginScan(id)
  }

  async function describeOn(machineId: string, asked: AskDescribe): Promise<DescribedProgram> {
    const signal = AbortSignal.timeout(describeMs)
    const machine = await machineById(pool.db, machineId)
    return askMachine(pool.db, machine, '/discovery/describe', asked, DescribedProgram, signal)
  }

  room.openapi(scan, async (c) => c.json({ data: await beginScan(c.req.valid('json').machineId) }, 202))

  room.openapi(lastScan, async (c) => {
    const { id } = await theMachine(pool.db, c.req.valid('query').machineId, parts.machineId)
    return c.json({ data: (await findScan(pool.db, id)) ?? null }, 200)
  })

  room.openapi(stream, async (c) => {
    const resumed = c.req.valid('header')['last-event-id'] ?? c.req.valid('query').after
    const after = resumed ?? Math.max(0, ((await lastSeq(pool.db, DISCOVERY_STREAM)) ?? 0) - 1)
    return answerStream(c, after, (options) => streams.open(DISCOVERY_STREAM, options))
  })

  room.openapi(list, async (c) => {
    const query = c.req.valid('query')
    const { page, pageSize, machineId, q } = query
    if (machineId !== undefined) await machineById(pool.db, machineId)
    if (q !== undefined)
      lookBehind(machineId).catch((error: unknown) =>
        log.debug({ err: error }, 'nobody looks behind a search'),
      )
    const { data, total } = await listDiscovered(pool.db, query)
    return c.json({ data, meta: { total, page, pageSize } }, 200)
  })

  room.openapi(read, async (c) => {
    const { id } = c.req.valid('param')
    const row = await theFound(pool.db, id)
    const isKnown = row.describedAt !== null || row.goneAt !== null
    if (isKnown || c.get('principal').kind !== 'owner') return c.json({ data: asDescribed(row) }, 200)
    const asked = { id, model: false, ifNeverDone: true } satisfies AskDescribe
    const data = await describeOn(row.machineId, asked).catch((error: unknown) => {
      // What is known can be read while its machine is away.
      if (!(error instanceof Problem) || error.code !== 'machine_unavailable') throw error
      return { ...asDescribed(row), schemaTrouble: error.message }
    })
    return c.json({ data }, 200)
  })

  room.openapi(describe, async (c) => {
    const { id } = c.req.valid('param')
    const { machineId } = await theFound(pool.db, id)
    const { model } = c.req.valid('json')
    return c.json({ data: await describeOn(machineId, { id, model, ifNeverDone: false }) }, 200)
  })

  room.openapi(confirm, async (c) => {
    const { ids, hide } = c.req.valid('json')
    const rows = await theFoundOnOneMachine(pool.db, ids)
    if (hide !== undefined) await pool.transaction((tx) => hideFound(tx, ids, hide))
    const data = hide === undefined ? await confirmOn(rows[0]!.machineId, { ids }) : []
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })

  async function confirmOn(machineId: string, asked: AskConfirm): Promise<Agent[]> {
    const machine = await machineById(pool.db, machineId)
    const signal = AbortSignal.timeout(confirmMs)
    return askMachine(pool.db, machine, '/discovery/confirm', asked, z.array(Agent), signal)
  }

  return room
}
