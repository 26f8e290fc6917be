import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { executions } from '#db/schema.ts'
import { newId } from '#lib/id.ts'
import { openNativeSource } from '#tools/native-source.ts'
import type { Caller } from '#tools/port.ts'
import { ada, openStaffedRegistry } from '../../../test/support/registry.ts'
import type { Answer } from '../../../test/support/registry.ts'
import { boardTools } from './board-tools.ts'

/** The board's tools for an agent that Ada has set to work on a task. */
async function openBoard() {
  const box = await openStaffedRegistry()
  const rules = () => ({ approvalExpiresMs: 60_000, budgets: box.budgets })
  const source = openNativeSource(boardTools({ ...box, rules }))
  const coder = async (name: string) => {
    const agent = await box.agent({ name, adapter: 'claude', kind: 'coding', workingDir: null })
    await box.capability(agent.id, { key: 'ask', interactionMode: 'prompt', commandTokens: null })
    return agent
  }
  const [lead, helper, task] = [
    await coder('Lead'),
    await coder('Helper'),
    await box.task({ title: 'The whole' }),
  ]
  const begun = await box.as(ada, 'POST', '/agents/spawn', {
    agentId: lead.id,
    taskId: task.id,
    prompt: 'Begin',
  })
  const { id: executionId, sessionId } = begun.body.data
  const agent: Caller = {
    kind: 'agent',
    id: `agent:${lead.id}`,
    agentId: lead.id,
    agentName: 'Lead',
    allowedTools: [],
    sessionId,
    executionId,
    onBehalfOf: ada.id,
  }
  const call = async (tool: string, args: Record<string, unknown> = {}, caller: Caller = agent) => {
    const {
      content,
      structuredContent,
      isError = false,
    } = await source.call(caller, tool, args, {
      signal: new AbortController().signal,
    })
    return { isError, text: String(content[0]?.['text']), data: structuredContent as Answer['body'] }
  }
  return { ...box, source, call, agent, lead, helper, task0: task, executionId }
}

test('an agent breaks its task into parts, as itself', async () => {
  const { call, agent, task0, as } = await openBoard()
  const { data, text } = await call('create_subtask', { title: 'A part', priority: 'high' })
  expect(data.task).toMatchObject({ parentTaskId: task0.id, createdBy: agent.id, status: 'todo', depth: 1 })
  expect(text).toBe(`Created ${data.task.id} todo high: A part`)
  const whole = (await call('create_task', { title: 'Another', assignee: 'helper' })).data.task
  expect(whole).toMatchObject({ parentTaskId: null, assigneeAgentId: expect.any(String) })
  const history = (await as(ada, 'GET', `/tasks/${whole.id}/events`)).body.data
  expect(history[0].payload.by).toBe(agent.id)
})

test('an agent changes its own task unless it names another, and is told which moves there are', async () => {
  const { call, task0 } = await openBoard()
  const done = await call('update_task', { status: 'done' })
  expect(done.data.task).toMatchObject({ id: task0.id, status: 'done' })
  const wrong = await call('update_task', { status: 'blocked' })
  expect(wrong).toMatchObject({ isError: true, data: { error: { code: 'task_move_forbidden' } } })
  expect(wrong.text).toBe('A task that is done cannot become blocked; it can become todo')
  const unknown = newId()
  expect((await call('update_task', { taskId: unknown, title: 'x' })).text).toBe(`No task ${unknown}`)
})

test('a task is given to an agent by name or id, and taken away', async () => {
  const { call, helper } = await openBoard()
  expect((await call('assign_task', { agent: 'Helper' })).data.task.assigneeAgentId).toBe(helper.id)
  expect((await call('assign_task', { agent: null })).data.task.assigneeAgentId).toBe(null)
  expect((await call('assign_task', { agent: helper.id })).data.task.assigneeAgentId).toBe(helper.id)
  const wrong = await call('assign_task', { agent: 'Nobody' })
  expect([wrong.isError, wrong.text]).toEqual([true, 'No agent is called "Nobody". There are: Helper, Lead'])
})

test('tasks are listed by page and by what is sought, and read whole by their id', async () => {
  const { call, task, task0 } = await openBoard()
  for (const n of [1, 2, 3]) await task({ title: `Card ${n}`, description: 'long' })
  const page = await call('list_tasks', { q: 'card', pageSize: 2 })
  expect(page.data).toMatchObject({ total: 3, page: 1, pageSize: 2 })
  expect(page.data.tasks.map(({ title }: { title: string }) => title)).toEqual(['Card 1', 'Card 2'])
  expect(page.data.tasks[0]).not.toHaveProperty('description')
  expect(page.text).toContain('[3 in all; page 1 of 2]')
  expect((await call('list_tasks', { status: 'in_progress' })).data.tasks).toMatchObject([{ id: task0.id }])
  const whole = await call('list_tasks', { taskId: page.data.tasks[0].id })
  expect(whole.text).toMatch(/Card 1\n\nlong$/)
  expect((await call('list_tasks', { pageSize: 101 })).isError).toBe(true)
})

test('tasks are nested three deep, whoever asks', async () => {
  const { call, task0 } = await openBoard()
  let parentTaskId = task0.id
  for (const _ of [1, 2, 3])
    parentTaskId = (await call('create_subtask', { title: 'Deeper', parentTaskId })).data.task.id
  const wrong = await call('create_subtask', { title: 'Too deep', parentTaskId })
  expect([wrong.isError, wrong.data.error.code]).toEqual([true, 'task_too_deep'])
})

test('an agent sets another one to work on its task, and a refusal is a sentence', async () => {
  const { call, executionId, task0, pool, helper } = await openBoard()
  const { data, text } = await call('spawn_agent', { agent: 'Helper', prompt: 'Look at it' })
  expect(text).toBe(`Helper is queued: execution ${data.execution.id}`)
  const [row] = await pool.db.select().from(executions).where(eq(executions.id, data.execution.id))
  expect(row).toMatchObject({
    parentExecutionId: executionId,
    taskId: task0.id,
    depth: 1,
    agentId: helper.id,
  })
  const again = await call('spawn_agent', { agent: 'Helper', prompt: 'Once more' })
  expect(again).toMatchObject({ isError: true, data: { error: { code: 'spawn_cooldown' } } })
  expect(again.text).toMatch(/once in 30 s, and did so \d+ s ago\. Try again in \d+ s/)
})

test('an agent that works on no task has to name one', async () => {
  const { call, pool, executionId } = await openBoard()
  await pool.db.update(executions).set({ taskId: null }).where(eq(executions.id, executionId))
  expect(await call('create_subtask', { title: 'A part' })).toMatchObject({
    isError: true,
    text: 'You work on no task at present: name one with parentTaskId',
  })
})

test('people are offered what their token opens', async () => {
  const { source, call } = await openBoard()
  const person = (scopes?: string[]): Caller => ({
    kind: 'person',
    id: ada.id,
    isOwner: false,
    ...(scopes && { scopes }),
  })
  const offered = (caller: Caller) =>
    source.tools().flatMap(({ name, isFor }) => (isFor?.(caller) === false ? [] : [name]))
  expect(offered(person())).toEqual([])
  expect(offered(person(['board']))).toEqual([
    'create_task',
    'update_task',
    'list_tasks',
    'create_subtask',
    'assign_task',
  ])
  expect(offered(person(['run']))).toEqual(['spawn_agent'])
  await expect(call('create_task', { title: 'x' }, person(['run']))).rejects.toThrow('There is no tool')
  const made = await call('create_task', { title: 'Mine' }, person(['board']))
  expect(made.data.task.createdBy).toBe(ada.id)
})
