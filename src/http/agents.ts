import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import type { Principal } from '#contract/access.ts'
import { Agent, CreateAgent, EditAgent } from '#contract/agent.ts'
import { CheckedAgent } from '#contract/internal.ts'
import type { AskPresets, CheckAgent } from '#contract/internal.ts'
import { Preset, PresetOnMachine, PresetQuery } from '#contract/preset.ts'
import { Id } from '#contract/text.ts'
import { listAgents } from '#db/agents.ts'
import type { Machine } from '#db/machines.ts'
import { knowsOf } from '#domain/access.ts'
import { checkBuiltin, checkKind, checkProgram, isSamePlace, newAgent, placeAfter } from '#domain/agent.ts'
import type { Place } from '#domain/agent.ts'
import { Problem } from '#domain/problem.ts'
import { chooseMachine } from '#flows/choose-machine.ts'
import { createAgent } from '#flows/create-agent.ts'
import { deleteAgent } from '#flows/delete-agent.ts'
import { editAgent } from '#flows/edit-agent.ts'
import type { Move } from '#flows/edit-agent.ts'
import { theAgent } from '#flows/find-agent.ts'
import { answersCreated, answersMany, answersNothing, answersOne, body } from './answers.ts'
import { requireOneScope, requireOwner } from './auth.ts'
import { askWorker } from './owning-worker.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const params = z.strictObject({ id: Id })
const tags = ['agents']

const list = createRoute({
  method: 'get',
  path: '/agents',
  tags,
  summary: 'List the agents that tasks can be given to',
  responses: answersMany(Agent, 'All agents'),
})

const presets = createRoute({
  method: 'get',
  path: '/agents/presets',
  tags,
  summary: 'Which of the known coding agents a machine has, and whether they are logged in',
  request: { query: PresetQuery },
  responses: answersMany(Preset, 'All known coding agents, as they are on the machine'),
})

const create = createRoute({
  method: 'post',
  path: '/agents',
  tags,
  summary:
    'Register an agent, or one of the known coding agents by its preset; its machine must allow its program and its folder',
  request: body(CreateAgent),
  responses: answersCreated(Agent, 'The new agent, its paths as they really are'),
})

const read = createRoute({
  method: 'get',
  path: '/agents/{id}',
  tags,
  summary: 'Read an agent',
  request: { params },
  responses: answersOne(Agent, 'The agent'),
})

const edit = createRoute({
  method: 'patch',
  path: '/agents/{id}',
  tags,
  summary: 'Change an agent; a new program, folder or machine is checked again',
  request: { params, ...body(EditAgent) },
  responses: answersOne(Agent, 'The agent as it is now'),
})

const remove = createRoute({
  method: 'delete',
  path: '/agents/{id}',
  tags,
  summary: 'Delete an agent with its capabilities; what it did stays',
  request: { params },
  responses: answersNothing('It is gone'),
})

type AgentParts = Pick<Parts, 'pool' | 'machineId'>

export function agentsRoutes(parts: AgentParts) {
  const { pool } = parts
  const room = newRoom()
  room.on('GET', ['/agents', '/agents/:id'], requireOneScope('board', 'run', 'chat'))
  room.on('GET', '/agents/presets', requireOwner)
  room.on('POST', '/agents', requireOwner)
  room.on(['PATCH', 'DELETE'], '/agents/:id', requireOwner)

  room.openapi(list, async (c) => {
    const by = c.get('principal')
    const known = (await listAgents(pool.db)).filter((agent) => knowsOf(by, agent))
    const data = known.map(seenBy(by))
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })

  room.openapi(presets, async (c) => {
    const machine = await chooseMachine(pool.db, c.req.valid('query').machineId, parts.machineId)
    const found = await presetsOn(parts, machine, {})
    const data = found.map((preset) => ({ ...preset, machineId: machine.id }))
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })

  room.openapi(create, async (c) => {
    const wanted = newAgent(c.req.valid('json'), await wantedPreset(parts, c.req.valid('json')))
    checkKind(wanted)
    const place = await allowedPlace(parts, wanted)
    const data = await pool.transaction((tx) => createAgent(tx, { ...wanted, ...place }))
    return c.json({ data }, 201)
  })

  room.openapi(read, async (c) => {
    const { id } = c.req.valid('param')
    const agent = await theAgent(pool.db, id)
    if (!knowsOf(c.get('principal'), agent)) throw new Problem('agent_not_found', `No agent ${id}`)
    return c.json({ data: seenBy(c.get('principal'))(agent) }, 200)
  })

  room.openapi(edit, async (c) => {
    const { id } = c.req.valid('param')
    const wanted = c.req.valid('json')
    const move = await allowedMove(parts, id, wanted)
    const data = await pool.transaction((tx) => editAgent(tx, id, wanted, move))
    return c.json({ data }, 200)
  })

  room.openapi(remove, async (c) => {
    const { id } = c.req.valid('param')
    await pool.transaction((tx) => deleteAgent(tx, c.get('principal'), id))
    return c.body(null, 204)
  })

  return room
}

/** Longer than a program is given to tell its version. */
const presetsPatienceMs = 15_000

const presetsOn = ({ pool }: AgentParts, machine: Machine, asked: AskPresets) =>
  askWorker(pool.db, machine, '/presets', asked, z.array(PresetOnMachine), presetsPatienceMs)

async function wantedPreset(parts: AgentParts, wanted: CreateAgent): Promise<PresetOnMachine | undefined> {
  const { preset: key, binaryPath, machineId } = wanted
  if (!key) return undefined
  const machine = await chooseMachine(parts.pool.db, machineId, parts.machineId)
  const [found] = await presetsOn(parts, machine, { key, ...(binaryPath !== null && { binaryPath }) })
  return found
}

/** Asks the machine, outside any transaction: it may take a while to answer. */
async function allowedPlace(
  { pool, machineId }: AgentParts,
  wanted: Place,
): Promise<Place & { machineId: string }> {
  checkProgram(wanted)
  const machine = await chooseMachine(pool.db, wanted.machineId, machineId)
  const { adapter, binaryPath, workingDir } = wanted
  const nothingToCheck = binaryPath === null && workingDir === null
  const question = { adapter, binaryPath, workingDir } satisfies CheckAgent
  const allowed = nothingToCheck
    ? { binaryPath, workingDir }
    : await askWorker(pool.db, machine, '/check-agent', question, CheckedAgent)
  return { adapter, machineId: machine.id, ...allowed }
}

async function allowedMove(parts: AgentParts, id: string, wanted: EditAgent): Promise<Move | undefined> {
  const from = await theAgent(parts.pool.db, id)
  checkBuiltin(from, wanted)
  const to = placeAfter(from, wanted)
  return isSamePlace(from, to) ? undefined : { from, to: await allowedPlace(parts, to) }
}

/** With which servers of tools it was given, and their keys, is the owner's to know. */
const seenBy =
  ({ kind }: Principal) =>
  (agent: Agent): Agent =>
    kind === 'owner' ? agent : { ...agent, mcpServers: [] }
