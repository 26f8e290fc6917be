import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import type { AskSession } from '#contract/internal.ts'
import type { Principal } from '#contract/access.ts'
import { Session, TakenOver } from '#contract/session.ts'
import { Id } from '#contract/text.ts'
import { findAgent } from '#db/agents.ts'
import { checkHasProgram } from '#domain/session.ts'
import { chooseMachine } from '#flows/choose-machine.ts'
import { visibleSession } from '#flows/find-execution.ts'
import { answersOne } from './answers.ts'
import { requireOneScope } from './auth.ts'
import { askWorker } from './owning-worker.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const params = z.strictObject({ id: Id })
const tags = ['sessions']

const takeOver = createRoute({
  method: 'post',
  path: '/sessions/{id}/takeover',
  tags,
  summary: 'Step in: the agent is interrupted, and its own interface opens on the same session, in tmux',
  request: { params },
  responses: answersOne(TakenOver, 'How to attach to it on the agent’s machine'),
})

const handBack = createRoute({
  method: 'post',
  path: '/sessions/{id}/handback',
  tags,
  summary:
    'Give it back: the interface ends, what was said meanwhile is brought in, the next message resumes it',
  request: { params },
  responses: answersOne(Session, 'The session as it is now'),
})

/** Agents are given time to heed an interrupt, and to end. */
const patienceMs = 60_000

export function sessionControlRoutes(parts: Pick<Parts, 'pool' | 'machineId'>) {
  const { pool } = parts
  const room = newRoom()
  room.on('POST', ['/sessions/:id/takeover', '/sessions/:id/handback'], requireOneScope('terminal', 'run'))

  room.openapi(takeOver, async (c) => {
    const { id } = c.req.valid('param')
    const data = await ask(parts, c.get('principal'), id, '/take-over', TakenOver)
    return c.json({ data }, 200)
  })

  room.openapi(handBack, async (c) => {
    const { id } = c.req.valid('param')
    const by = c.get('principal')
    const { takenOverAt, agentId } = await visibleSession(pool.db, by, id)
    checkHasProgram(agentId ? await findAgent(pool.db, agentId) : undefined)
    if (takenOverAt) await ask(parts, by, id, '/hand-back', z.object({}))
    return c.json({ data: await visibleSession(pool.db, by, id) }, 200)
  })

  return room
}

async function ask<Shape extends z.ZodType>(
  { pool, machineId }: Pick<Parts, 'pool' | 'machineId'>,
  by: Principal,
  sessionId: string,
  path: string,
  shape: Shape,
): Promise<z.infer<Shape>> {
  const { agentId } = await visibleSession(pool.db, by, sessionId)
  const agent = agentId ? await findAgent(pool.db, agentId) : undefined
  checkHasProgram(agent)
  const machine = await chooseMachine(pool.db, agent?.machineId, machineId)
  const question = { sessionId, by } satisfies AskSession
  return askWorker(pool.db, machine, path, question, shape, patienceMs)
}
