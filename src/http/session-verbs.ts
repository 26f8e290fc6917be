import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import type { Agent } from '#contract/agent.ts'
import { FoundOutside, FoundTurns } from '#contract/internal.ts'
import type { AskOutside, AskTurns } from '#contract/internal.ts'
import { EditSession, OpenSession, OutsideQuery, OutsideSession, Session } from '#contract/session.ts'
import { Id } from '#contract/text.ts'
import { findSessionsByRef } from '#db/sessions.ts'
import { checkOwner } from '#domain/access.ts'
import { knownAgent } from '#domain/presets.ts'
import { bodyMisfit } from '#domain/problem.ts'
import { adoptSession } from '#flows/adopt-session.ts'
import { chooseMachine } from '#flows/choose-machine.ts'
import { editSession } from '#flows/edit-session.ts'
import { theAgent } from '#flows/find-agent.ts'
import { visibleSession } from '#flows/find-execution.ts'
import { forkSession } from '#flows/fork-session.ts'
import { openSession } from '#flows/open-session.ts'
import { restoreSession, trashSession } from '#flows/trash-session.ts'
import { answersCreated, answersMany, answersNothing, answersOne, body } from './answers.ts'
import { requireOneScope, requireOwner } from './auth.ts'
import { askWorker } from './owning-worker.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const params = z.strictObject({ id: Id })
const tags = ['sessions']

const open = createRoute({
  method: 'post',
  path: '/sessions',
  tags,
  summary: 'Open a session without running anything, or (the owner) adopt one that was begun outside',
  request: body(OpenSession),
  responses: answersCreated(Session, 'The new session'),
})

const outside = createRoute({
  method: 'get',
  path: '/sessions/outside',
  tags,
  summary: 'Sessions in an agent’s own history on its machine, newest first; only the owner may look',
  request: { query: OutsideQuery },
  responses: answersMany(OutsideSession, 'Sessions that can be adopted, and those that were'),
})

const edit = createRoute({
  method: 'patch',
  path: '/sessions/{id}',
  tags,
  summary: 'Give a session another title, model or mode; an agent at work is told at once',
  request: { params, ...body(EditSession) },
  responses: answersOne(Session, 'The session as it is now'),
})

const fork = createRoute({
  method: 'post',
  path: '/sessions/{id}/fork',
  tags,
  summary: 'Open a session whose first turn goes on in a copy of this one',
  request: { params },
  responses: answersCreated(Session, 'The fork'),
})

const trash = createRoute({
  method: 'delete',
  path: '/sessions/{id}',
  tags,
  summary: 'Put a session into the trash; nothing in it is lost',
  request: { params },
  responses: answersNothing('It is in the trash'),
})

const restore = createRoute({
  method: 'post',
  path: '/sessions/{id}/restore',
  tags,
  summary: 'Take a session out of the trash',
  request: { params },
  responses: answersOne(Session, 'The session'),
})

type SessionParts = Pick<Parts, 'pool' | 'machineId'>

export function sessionVerbsRoutes(parts: SessionParts) {
  const { pool } = parts
  const room = newRoom()
  // Whoever may only chat does it in sessions with models, which the flows see to.
  const mayChat = requireOneScope('chat', 'run')
  room.on('POST', ['/sessions', '/sessions/:id/fork', '/sessions/:id/restore'], mayChat)
  room.on(['PATCH', 'DELETE'], '/sessions/:id', mayChat)
  room.on('GET', '/sessions/outside', requireOwner)

  room.openapi(outside, async (c) => {
    const agent = await theAgent(pool.db, c.req.valid('query').agentId)
    const asked = historyOf(agent)
    const found = asked ? await ask(parts, agent, '/outside-sessions', asked, z.array(FoundOutside)) : []
    const taken = await findSessionsByRef(
      pool.db,
      found.map(({ ref }) => ref),
    )
    const data = found.map(({ file: _file, ...session }) => ({
      ...session,
      adoptedBy: taken.get(session.ref) ?? null,
    }))
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })

  room.openapi(open, async (c) => {
    const wanted = c.req.valid('json')
    const by = c.get('principal')
    if (wanted.adopt !== undefined) checkOwner(by)
    const found = wanted.adopt === undefined ? undefined : await turnsOf(parts, wanted.agentId, wanted.adopt)
    const id = await pool.transaction((tx) =>
      found ? adoptSession(tx, by, wanted, found) : openSession(tx, by, wanted),
    )
    return c.json({ data: await visibleSession(pool.db, by, id) }, 201)
  })

  room.openapi(edit, async (c) => {
    const { id } = c.req.valid('param')
    await pool.transaction((tx) => editSession(tx, c.get('principal'), id, c.req.valid('json')))
    return c.json({ data: await visibleSession(pool.db, c.get('principal'), id) }, 200)
  })

  room.openapi(fork, async (c) => {
    const { id } = c.req.valid('param')
    const forked = await pool.transaction((tx) => forkSession(tx, c.get('principal'), id))
    return c.json({ data: await visibleSession(pool.db, c.get('principal'), forked) }, 201)
  })

  room.openapi(trash, async (c) => {
    const { id } = c.req.valid('param')
    await pool.transaction((tx) => trashSession(tx, c.get('principal'), id))
    return c.body(null, 204)
  })

  room.openapi(restore, async (c) => {
    const { id } = c.req.valid('param')
    await pool.transaction((tx) => restoreSession(tx, c.get('principal'), id))
    return c.json({ data: await visibleSession(pool.db, c.get('principal'), id) }, 200)
  })

  return room
}

/** Reading through years of somebody's history takes a while. */
const patienceMs = 20_000

async function turnsOf(parts: SessionParts, agentId: string, ref: string): Promise<FoundTurns> {
  const agent = await theAgent(parts.pool.db, agentId).catch(() => {
    throw bodyMisfit('agentId', `there is no agent ${agentId}`)
  })
  const asked = historyOf(agent)
  if (!asked) throw bodyMisfit('adopt', `the history of ${agent.name} cannot be read`)
  return ask(parts, agent, '/outside-turns', { ...asked, ref }, FoundTurns)
}

/** Whose history an agent's program keeps; nothing for those of which we do not know. */
function historyOf(agent: Agent): AskOutside | undefined {
  const key = knownAgent(agent)?.key
  return key && { key, envAllowlist: agent.envAllowlist }
}

async function ask<Shape extends z.ZodType>(
  { pool, machineId }: SessionParts,
  agent: Agent,
  path: string,
  asked: AskOutside | AskTurns,
  shape: Shape,
): Promise<z.infer<Shape>> {
  const machine = await chooseMachine(pool.db, agent.machineId, machineId)
  return askWorker(pool.db, machine, path, asked, shape, patienceMs)
}
