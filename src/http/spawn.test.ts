import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import type { Agent } from '#contract/agent.ts'
import { executions, sessions, workspaces } from '#db/schema.ts'
import { asAgentPrincipal, owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import { ada, bob, openStaffedRegistry } from '../../test/support/registry.ts'
import type { Answer } from '../../test/support/registry.ts'

const codeOf = ({ status, body }: Answer) => [status, body?.error?.code ?? body?.data?.status]

/** Ada's agent at work, and others that it may start. */
async function openSpawning(lead: object = {}) {
  const box = await openStaffedRegistry()
  const { pool } = box
  const coder = async (more: object = {}): Promise<Agent> => {
    const agent = await box.agent({ adapter: 'claude', kind: 'coding', workingDir: null, ...more })
    const asked = { key: 'ask', interactionMode: 'prompt', commandTokens: null }
    await box.capability(agent.id, asked)
    return agent
  }
  const as = async (who: Principal, agentId: string, more: object = {}) =>
    box.as(who, 'POST', '/agents/spawn', { agentId, prompt: 'Look at it', ...more })
  const change = (id: string, changes: Partial<typeof executions.$inferInsert>) =>
    pool.db.update(executions).set(changes).where(eq(executions.id, id))
  const end = (id: string) => change(id, { endedAt: new Date(), status: 'succeeded' })
  /** As if it had been asked for a while ago. */
  const age = (id: string, seconds = 31) =>
    pool.db
      .update(executions)
      .set({ createdAt: sql`now() - ${seconds} * interval '1 second'` })
      .where(eq(executions.id, id))

  const [leader, workspaceId] = [await coder(lead), newId()]
  await pool.db.insert(workspaces).values({
    id: workspaceId,
    machineId: box.machineId,
    driver: 'sandbox',
    root: '/repo',
    name: 'repo',
  })
  /** Begins an execution of the leading agent, as Ada or another asks for it. */
  const begin = async (who: Principal = ada, more: object = {}) => {
    const { data } = (await as(who, leader.id, more)).body
    await change(data.id, { workspaceId, status: 'running', startedAt: new Date() })
    await pool.db.update(sessions).set({ workspaceId }).where(eq(sessions.id, data.sessionId))
    return data
  }
  /** Who acts when the agent of an execution does. */
  const actor = (execution: { id: string; sessionId: string; agentId: string }, onBehalfOf = ada.id) => {
    const { id: executionId, sessionId, agentId } = execution
    return asAgentPrincipal({ agentId, sessionId, executionId, onBehalfOf, name: 'Lead' })
  }
  const first = await begin()
  return { ...box, spawn: as, coder, change, end, age, leader, workspaceId, begin, actor, first }
}

test('a person sets an agent to work with nothing but words', async () => {
  const { spawn, coder, task, as } = await openSpawning()
  const agent = await coder()
  const card = await task()
  const { status, body } = await spawn(ada, agent.id, { taskId: card.id })
  expect([status, body.data.prompt, body.data.parentExecutionId]).toEqual([201, 'Look at it', null])
  expect((await as(ada, 'GET', `/tasks/${card.id}`)).body.data.status).toBe('in_progress')
  expect(codeOf(await spawn({ ...ada, scopes: ['board'] }, agent.id))).toEqual([403, 'forbidden'])
})

test('what an agent starts is below it, in its workspace, and of the person it works for', async () => {
  const { spawn, coder, actor, first, pool, workspaceId, as } = await openSpawning()
  const by = actor(first)
  const { status, body } = await spawn(by, (await coder()).id)
  expect(status).toBe(201)
  expect(body.data).toMatchObject({ parentExecutionId: first.id, createdBy: by.id, workspaceId })
  const [row] = await pool.db.select().from(executions).where(eq(executions.id, body.data.id))
  expect(row?.depth).toBe(1)
  expect((await as(ada, 'GET', `/executions/${body.data.id}`)).status).toBe(200)
  expect((await as(bob, 'GET', `/executions/${body.data.id}`)).status).toBe(404)
  const [session] = await pool.db.select().from(sessions).where(eq(sessions.id, body.data.sessionId))
  expect(session).toMatchObject({ createdBy: ada.id, workspaceId })
})

test('an agent whose execution is over starts nothing', async () => {
  const { spawn, coder, actor, first, end } = await openSpawning()
  const agent = await coder()
  const idle = actor(first)
  expect(codeOf(await spawn({ ...idle, agent: { ...idle.agent!, executionId: null } }, agent.id))).toEqual([
    409,
    'no_live_execution',
  ])
  await end(first.id)
  expect(codeOf(await spawn(idle, agent.id))).toEqual([409, 'no_live_execution'])
})

test('agents start one another three deep, and are told when that is reached', async () => {
  const { spawn, coder, actor, first, change } = await openSpawning()
  let at = first
  for (const depth of [1, 2, 3]) {
    const { status, body } = await spawn(actor(at), (await coder()).id)
    expect([depth, status]).toEqual([depth, 201])
    await change(at.id, { endedAt: null })
    at = body.data
    // Only the depth is looked at here.
    await change(at.id, { createdBy: ada.id })
  }
  const answer = await spawn(actor(at), (await coder()).id)
  expect(codeOf(answer)).toEqual([409, 'spawn_too_deep'])
  expect(answer.body.error.message).toMatch(/3 deep, and you are at depth 3\. Waiting does not help/)
})

test('a session that a person goes on in stays as deep as it was', async () => {
  const { spawn, coder, actor, first, change, end, as, pool } = await openSpawning()
  const { data } = (await spawn(actor(first), (await coder()).id)).body
  await change(data.id, { depth: 3 })
  await end(data.id)
  const next = (await as(ada, 'POST', `/executions/${data.id}/messages`, { text: 'And now?' })).body.data
  const [row] = await pool.db.select().from(executions).where(eq(executions.id, next.executionId))
  expect([row?.id === data.id, row?.depth]).toEqual([false, 3])
  const answer = await spawn(actor({ ...data, id: next.executionId }), (await coder()).id)
  expect(codeOf(answer)).toEqual([409, 'spawn_too_deep'])
})

test('an agent that works on a task three levels deep starts nothing', async () => {
  const { spawn, coder, actor, begin, task } = await openSpawning()
  let card = await task()
  for (const _ of [1, 2, 3]) card = await task({ parentTaskId: card.id })
  const answer = await spawn(actor(await begin(ada, { taskId: card.id })), (await coder()).id)
  expect(codeOf(answer)).toEqual([409, 'spawn_too_deep'])
  expect(answer.body.error.message).toContain('is 3 levels deep')
})

test('agents start the same agent once in 30 s, and another one at once', async () => {
  const { spawn, coder, actor, first, age } = await openSpawning()
  const [one, other] = [await coder(), await coder()]
  const { data } = (await spawn(actor(first), one.id)).body
  const refused = await spawn(actor(first), one.id)
  expect(codeOf(refused)).toEqual([429, 'spawn_cooldown'])
  const { message, context } = refused.body.error
  expect(message).toMatch(/once in 30 s, and did so \d+ s ago\. Try again in \d+ s/)
  expect(context.retryAfterSec).toBeGreaterThan(0)
  expect(context.retryAfterSec).toBeLessThanOrEqual(30)
  expect(codeOf(await spawn(actor(first), other.id))).toEqual([201, 'queued'])
  await age(data.id)
  expect(codeOf(await spawn(actor(first), one.id))).toEqual([201, 'queued'])
})

test('three that agents started work at once, counted over the whole family', async () => {
  const { spawn, coder, actor, first, end } = await openSpawning()
  const started = []
  for (const _ of [1, 2]) started.push((await spawn(actor(first), (await coder()).id)).body.data)
  const [eldest] = started
  started.push((await spawn(actor(eldest), (await coder()).id)).body.data)
  for (const by of [first, eldest]) {
    const answer = await spawn(actor(by), (await coder()).id)
    expect(codeOf(answer)).toEqual([429, 'spawn_at_limit'])
    expect(answer.body.error.message).toMatch(/3 are queued or running\. Wait until one is done/)
    expect(answer.body.error.context).toMatchObject({ limit: 3, used: 3, retryAfterSec: 30 })
  }
  await end(started[2].id)
  expect(codeOf(await spawn(actor(first), (await coder()).id))).toEqual([201, 'queued'])
})

test('what another person began is another family, and people are held to none of it', async () => {
  const { spawn, coder, actor, first, begin } = await openSpawning()
  const agents = [await coder(), await coder(), await coder()]
  for (const { id } of agents) await spawn(actor(first), id)
  expect(codeOf(await spawn(actor(first), agents[0]!.id))).toEqual([429, 'spawn_at_limit'])
  expect(codeOf(await spawn(ada, agents[0]!.id))).toEqual([201, 'queued'])
  expect(codeOf(await spawn(ada, agents[0]!.id))).toEqual([201, 'queued'])
  expect(codeOf(await spawn(actor(await begin(bob), bob.id), agents[0]!.id))).toEqual([201, 'queued'])
})

test('of ten at once exactly as many are let through as there is room for', async () => {
  const { spawn, coder, actor, first } = await openSpawning()
  const agents = await Promise.all(Array.from({ length: 10 }, () => coder()))
  const many = await Promise.all(agents.map(({ id }) => spawn(actor(first), id)))
  expect(many.filter(({ status }) => status === 201)).toHaveLength(3)
  const again = await openSpawning()
  const only = await again.coder()
  const same = await Promise.all(
    Array.from({ length: 10 }, () => again.spawn(again.actor(again.first), only.id)),
  )
  expect(same.filter(({ status }) => status === 201)).toHaveLength(1)
})

test('and so of ten that several agents of a family ask for at once', async () => {
  const { spawn, coder, actor, first } = await openSpawning()
  const { data: child } = (await spawn(actor(first), (await coder()).id)).body
  const agents = await Promise.all(Array.from({ length: 10 }, () => coder()))
  const many = await Promise.all(agents.map(({ id }, place) => spawn(actor(place % 2 ? first : child), id)))
  expect(many.filter(({ status }) => status === 201)).toHaveLength(2)
})

test('a family spends no more than the agent at its top may', async () => {
  const { spawn, coder, actor, first, change, end } = await openSpawning({ maxBudgetUsd: 2 })
  const { data } = (await spawn(actor(first), (await coder()).id)).body
  await change(data.id, { costUsd: 1.5 })
  await end(data.id)
  expect(codeOf(await spawn(actor(first), (await coder()).id))).toEqual([201, 'queued'])
  await change(first.id, { costUsd: 0.5 })
  const answer = await spawn(actor(first), (await coder()).id)
  expect(codeOf(answer)).toEqual([409, 'budget_spent'])
  expect(answer.body.error.message).toMatch(/have used \$2\.00 of the \$2 .* Waiting does not help/)
})

test('nobody starts an agent when the day has nothing left', async () => {
  const { spawn, coder, budgets, first, change, actor } = await openSpawning()
  await change(first.id, { costUsd: 3 })
  budgets.perDayUsd = 3
  for (const by of [ada, actor(first)]) {
    const answer = await spawn(by, (await coder()).id)
    expect(codeOf(answer)).toEqual([409, 'budget_spent'])
    expect(answer.body.error.message).toContain('wait for tomorrow')
  }
})

test('an agent that asks less than the one that starts it waits for a yes', async () => {
  const { spawn, coder, actor, first, as } = await openSpawning({ permissionPolicy: 'reads' })
  const waiting = (await spawn(actor(first), (await coder({ permissionPolicy: 'all' })).id)).body.data
  expect(waiting.waitingApprovals).toBe(1)
  const [approval] = (await as(owner, 'GET', `/approvals?executionId=${waiting.id}`)).body.data
  expect(approval).toMatchObject({ kind: 'danger', status: 'waiting', danger: 2 })
  const equal = (await spawn(actor(first), (await coder({ permissionPolicy: 'ask' })).id)).body.data
  expect(equal.waitingApprovals).toBe(0)
})

test('so does one whose mode lets it act without asking, unless it is started out of one that does', async () => {
  const { spawn, coder, actor, first, pool } = await openSpawning({ mode: 'bypassPermissions' })
  const waits = async () => {
    const { data } = (await spawn(actor(first), (await coder({ mode: 'bypassPermissions' })).id)).body
    return data.waitingApprovals
  }
  expect(await waits()).toBe(0)
  // What its session is set to counts, whatever the agent begins with.
  await pool.db.update(sessions).set({ mode: 'plan' }).where(eq(sessions.id, first.sessionId))
  expect(await waits()).toBe(1)
})

test('so does one that may call more tools, or that has a rule of its own to let it pass', async () => {
  const { spawn, coder, actor, first, call } = await openSpawning({ allowedTools: ['board.*'] })
  const waits = async ({ id }: Agent) => (await spawn(actor(first), id)).body.data.waitingApprovals
  expect(await waits(await coder())).toBe(1)
  expect(await waits(await coder({ allowedTools: ['board.list_tasks'] }))).toBe(0)
  const ruled = await coder({ allowedTools: ['board.*'] })
  await call('POST', '/policies/rules', { tool: 'Bash', effect: 'allow', agentId: ruled.id })
  expect(await waits(ruled)).toBe(1)
})

test('what rules say of the tool that starts agents holds here too, for agents', async () => {
  const { spawn, coder, actor, first, call, leader } = await openSpawning()
  const { id } = await coder()
  const rule = { tool: 'board.spawn_agent', effect: 'ask', agentId: leader.id }
  await call('POST', '/policies/rules', rule)
  await call('POST', '/policies/rules', { ...rule, agentId: id })
  expect((await spawn(actor(first), id)).body.data.waitingApprovals).toBe(1)
  await call('POST', '/policies/rules', { tool: 'board.*', effect: 'deny' })
  expect(codeOf(await spawn(actor(first), (await coder()).id))).toEqual([403, 'tool_refused'])
  expect((await spawn(ada, id)).body.data.waitingApprovals).toBe(0)
})

test('what is dangerous waits for a yes also when an agent asks for it', async () => {
  const { spawn, agent, capability, actor, first } = await openSpawning()
  const dangerous = await agent({ adapter: 'claude', kind: 'coding' })
  await capability(dangerous.id, { interactionMode: 'prompt', commandTokens: null, dangerLevel: 3 })
  const { body } = await spawn(actor(first), dangerous.id)
  expect([body.data.status, body.data.waitingApprovals]).toEqual(['queued', 1])
  expect((await spawn(actor(first), dangerous.id, { confirm: true })).status).toBe(422)
})

test('an agent that is not there, has no words, or too many ways, is told apart', async () => {
  const { spawn, coder, agent, capability } = await openSpawning()
  expect(codeOf(await spawn(ada, newId()))).toEqual([422, 'does_not_fit'])
  const command = await agent()
  await capability(command.id)
  expect(codeOf(await spawn(ada, command.id))).toEqual([422, 'adapter_unavailable'])
  const more = { key: 'review', interactionMode: 'prompt', commandTokens: null }
  const several = await coder()
  await capability(several.id, more)
  const { body } = await spawn(ada, several.id)
  expect(body.data.capabilityKey).toBe('ask')
})
