import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { Principal } from '#contract/access.ts'
import { agents, executions, sessions, users } from '#db/schema.ts'
import { deleteAgentTokens, insertAgentToken } from '#db/tokens.ts'
import { newId } from '#lib/id.ts'
import { hashSecret, newSecret } from '#lib/secret.ts'
import { dataOf, errorOf, openAuth } from '../../test/support/auth.ts'
import { seedExecution } from '../../test/support/execution-rows.ts'

/** A session of an agent with something under way in it, and the token of its process. */
async function openAgent(createdBy?: string) {
  const box = await openAuth()
  const whose = createdBy ?? (await box.addUser('Ada')).id
  const execution = await seedExecution(box.pool, { createdBy: whose })
  const agentId = newId()
  await box.pool.db.insert(agents).values({ id: agentId, name: 'Claude', kind: 'coding' })
  await box.pool.db.update(sessions).set({ agentId }).where(eq(sessions.id, execution.sessionId))
  const token = newSecret('sbagent')
  const { id: executionId, sessionId } = execution
  await insertAgentToken(box.pool.db, { id: newId(), hash: hashSecret(token), sessionId, executionId })
  const whoami = async () => box.ask('GET', '/auth/whoami', token)
  return { ...box, whose, execution, agentId, sessionId, token, whoami }
}

test("an agent's token says which agent acts, in which session, and for whom", async () => {
  const { whoami, agentId, sessionId, execution, whose } = await openAgent()
  expect(await dataOf(await whoami(), Principal)).toEqual({
    id: `agent:${agentId}`,
    kind: 'agent',
    name: 'Claude',
    scopes: ['board', 'tools', 'code'],
    agent: { agentId, sessionId, executionId: execution.id, onBehalfOf: whose },
  })
})

test('it follows the session to its next execution, and has none between two', async () => {
  const { whoami, execution, sessionId, pool } = await openAgent()
  const live = async () => (await dataOf(await whoami(), Principal)).agent?.executionId
  await execution.end()
  expect(await live()).toBe(null)
  const next = await seedExecution(pool, { sessionId })
  expect(await live()).toBe(next.id)
})

test('it is nobody any more when its process is over, and that of another process stays', async () => {
  const { pool, whoami, sessionId, execution } = await openAgent('owner')
  await deleteAgentTokens(pool.db, sessionId, { executionId: execution.id })
  expect((await whoami()).status).toBe(200)
  await execution.end()
  const next = await seedExecution(pool, { sessionId })
  await deleteAgentTokens(pool.db, sessionId, { executionId: next.id })
  expect((await whoami()).status).toBe(401)
})

test.each([
  ['its agent', 'agent'],
  ['the person it works for', 'person'],
  ['its session', 'session'],
] as const)('it is nobody any more when %s is deleted', async (_, which) => {
  const { pool, whoami, agentId, whose, sessionId } = await openAgent()
  expect((await whoami()).status).toBe(200)
  if (which === 'agent') await pool.db.delete(agents).where(eq(agents.id, agentId))
  if (which === 'person') await pool.db.delete(users).where(eq(users.id, whose))
  if (which === 'session') {
    await pool.db.delete(executions).where(eq(executions.sessionId, sessionId))
    await pool.db.delete(sessions).where(eq(sessions.id, sessionId))
  }
  expect((await whoami()).status).toBe(401)
})

test('it works for somebody whom an issuer vouches for', async () => {
  const { whoami } = await openAgent('jwt:ada@example.org')
  expect((await dataOf(await whoami(), Principal)).agent?.onBehalfOf).toBe('jwt:ada@example.org')
})

test('it cannot be traded for anything that outlives its process', async () => {
  const { ask, token, count } = await openAgent('owner')
  const before = await count('tokens')
  for (const [path, body] of [
    ['/auth/session', {}],
    ['/auth/ticket', undefined],
  ] as const) {
    const answer = await ask('POST', path, token, body)
    expect([path, answer.status]).toEqual([path, 403])
    expect((await errorOf(answer)).message).toContain('Only a person')
  }
  expect([await count('tokens'), await count('tickets')]).toEqual([before, 0])
})
