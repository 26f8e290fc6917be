import { expect, it } from 'vitest'
import type { Principal } from '#contract/access.ts'
import { insertAgent } from '#db/agents.ts'
import { registerMachine } from '#db/machine-life.ts'
import type { DatabasePool } from '#db/pool.ts'
import { owner } from '#domain/access.ts'
import { openSession } from '#flows/open-session.ts'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../../test/support/postgres.ts'
import { openCallers } from './caller.ts'

const ada: Principal = { id: newId(), kind: 'user', name: 'ada', scopes: ['tools', 'run'] }

async function openAgentSession(pool: DatabasePool) {
  const machineId = newId()
  await registerMachine(pool.db, { id: machineId, name: 'here', workerId: machineId, url: 'unix:/nowhere' })
  const agentId = newId()
  await pool.transaction((tx) =>
    insertAgent(tx, {
      id: agentId,
      name: 'claude',
      kind: 'coding',
      adapter: 'claude',
      machineId,
      allowedTools: ['a.*'],
    }),
  )
  const sessionId = await pool.transaction((tx) => openSession(tx, ada, { agentId }))
  return { agentId, sessionId }
}

it('lets people name sessions that are theirs, and no others', async () => {
  const pool = await freshPool()
  const { sessionId } = await openAgentSession(pool)
  const callerOf = openCallers(pool.db)
  expect(await callerOf(ada, { sessionId, confirmed: true })).toEqual({
    kind: 'person',
    id: ada.id,
    name: 'ada',
    isOwner: false,
    scopes: ['tools', 'run'],
    sessionId,
    confirmed: true,
  })
  expect(await callerOf(owner, { sessionId })).toMatchObject({ isOwner: true, sessionId })
  const eve: Principal = { ...ada, id: newId(), name: 'eve' }
  await expect(callerOf(eve, { sessionId })).rejects.toMatchObject({ code: 'session_not_found' })
  await expect(callerOf(owner, { sessionId: newId() })).rejects.toMatchObject({ code: 'session_not_found' })
})

it('lets an agent act in its own session, while something is live there', async () => {
  const pool = await freshPool()
  const { agentId, sessionId } = await openAgentSession(pool)
  const callerOf = openCallers(pool.db)
  const executionId = newId()
  const agent: Principal = {
    id: `agent:${agentId}`,
    kind: 'agent',
    name: 'claude',
    scopes: ['tools'],
    agent: { agentId, sessionId, executionId, onBehalfOf: ada.id },
  }
  expect(await callerOf(agent, { confirmed: true })).toEqual({
    kind: 'agent',
    id: `agent:${agentId}`,
    agentId,
    agentName: 'claude',
    allowedTools: ['a.*'],
    sessionId,
    executionId,
    onBehalfOf: ada.id,
  })
  await expect(callerOf(agent, { sessionId: newId() })).rejects.toMatchObject({ code: 'session_not_found' })
  const idle = { ...agent, agent: { agentId, sessionId, executionId: null, onBehalfOf: ada.id } }
  await expect(callerOf(idle)).rejects.toMatchObject({ code: 'no_live_execution' })
  const gone = { ...agent, agent: { agentId: newId(), sessionId, executionId, onBehalfOf: ada.id } }
  await expect(callerOf(gone)).rejects.toMatchObject({ code: 'forbidden' })
})
