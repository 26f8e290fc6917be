import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { loadConfig } from '#config/config.ts'
import { agents, executions, sessions } from '#db/schema.ts'
import type { DatabasePool } from '#db/pool.ts'
import type { Agent } from '#contract/agent.ts'
import { newId } from '#lib/id.ts'
import { seedExecution } from '../../test/support/execution-rows.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { planTurn } from './plan-turn.ts'

type SessionChange = Partial<typeof sessions.$inferSelect>

async function agentIn({ db }: DatabasePool, more: Partial<Agent> = {}): Promise<Agent> {
  const { createdAt: _at, missingSince: _since, ...changes } = more
  const [row] = await db
    .insert(agents)
    .values({ id: newId(), name: 'Claude', kind: 'coding', ...changes })
    .returning()
  return { ...row!, missingSince: null, createdAt: row!.createdAt.toISOString() }
}

async function open() {
  const pool = await freshPool()
  const config = loadConfig({ env: { HOME: '/nowhere' }, cwd: '/' })
  const change = (id: string, to: SessionChange) =>
    pool.db.update(sessions).set(to).where(eq(sessions.id, id))
  async function plan(executionId: string, agent: Agent, budgets = config.budgets) {
    const [row] = await pool.db.select().from(executions).where(eq(executions.id, executionId))
    return planTurn({
      db: pool.db,
      config: { ...config, budgets },
      row: row!,
      agent,
      text: 'Do it',
      workspace: { id: newId(), driver: 'folder', root: '/' },
    })
  }
  const spend = (id: string, costUsd: number, startedAt = new Date()) =>
    pool.db.update(executions).set({ costUsd, startedAt }).where(eq(executions.id, id))
  return { pool, change, plan, spend }
}

test('a session goes on where it was, with the model and mode that were last wanted', async () => {
  const { pool, change, plan } = await open()
  const agent = await agentIn(pool, { model: 'small', mode: 'plan' })
  const { id, sessionId } = await seedExecution(pool)
  expect(await plan(id, agent)).toMatchObject({
    sessionRef: null,
    isContinued: false,
    fork: false,
    model: 'small',
  })
  await change(sessionId, { sessionRef: 'ref-1', model: 'large', adoptedAt: new Date() })
  expect(await plan(id, agent)).toMatchObject({
    sessionRef: 'ref-1',
    isContinued: true,
    fork: false,
    model: 'large',
    mode: 'plan',
  })
})

test('a fork begins in a copy of its parent, and then has a history of its own', async () => {
  const { pool, change, plan } = await open()
  const agent = await agentIn(pool)
  const parent = await seedExecution(pool)
  await change(parent.sessionId, { sessionRef: 'parent-ref' })
  const fork = await seedExecution(pool)
  await change(fork.sessionId, { parentSessionId: parent.sessionId })
  await pool.db.update(executions).set({ fork: true }).where(eq(executions.id, fork.id))
  expect(await plan(fork.id, agent)).toMatchObject({
    sessionRef: 'parent-ref',
    isContinued: true,
    fork: true,
  })
  await change(fork.sessionId, { sessionRef: 'own-ref' })
  expect(await plan(fork.id, agent)).toMatchObject({ sessionRef: 'own-ref', fork: false })
})

test('a turn gets what is left of its session, of one execution and of the day, and nothing once one is spent', async () => {
  const { pool, plan, spend } = await open()
  const agent = await agentIn(pool, { maxBudgetUsd: 20 })
  const { id } = await seedExecution(pool)
  expect((await plan(id, agent)).limits.costUsd).toBe(5)
  const yesterday = await seedExecution(pool)
  await spend(yesterday.id, 100, new Date(Date.now() - 24 * 3_600_000))
  const today = await seedExecution(pool)
  await spend(today.id, 3)
  const budgets = { perExecutionUsd: 50, perDayUsd: 4 }
  expect((await plan(id, agent, budgets)).limits.costUsd).toBe(1)
  expect((await plan(id, agent, { perExecutionUsd: 50 })).limits.costUsd).toBe(20)
  await spend(today.id, 4)
  await expect(plan(id, agent, budgets)).rejects.toMatchObject({
    code: 'budget_spent',
    message: expect.stringContaining('budgets.perDayUsd'),
  })
})

test('what an agent was started by caps what it may spend, with all that was spent below', async () => {
  const { pool, change, plan, spend } = await open()
  const lead = await agentIn(pool, { maxBudgetUsd: 2 })
  const agent = await agentIn(pool, { name: 'Helper', maxBudgetUsd: 4 })
  const [first, child, sibling] = [
    await seedExecution(pool),
    await seedExecution(pool),
    await seedExecution(pool),
  ]
  await change(first.sessionId, { agentId: lead.id })
  for (const { id, sessionId } of [child, sibling]) {
    await change(sessionId, { agentId: agent.id })
    await pool.db.update(executions).set({ parentExecutionId: first.id }).where(eq(executions.id, id))
  }
  expect((await plan(child.id, agent)).limits.costUsd).toBe(2)
  await spend(sibling.id, 1.5)
  expect((await plan(child.id, agent)).limits.costUsd).toBe(0.5)
  expect((await plan(first.id, lead)).limits.costUsd).toBe(0.5)
  await spend(first.id, 0.5)
  await expect(plan(child.id, agent)).rejects.toThrow('have used $2.00 of the $2')
})
