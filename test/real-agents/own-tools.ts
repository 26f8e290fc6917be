import { join } from 'node:path'
import { expect } from 'vitest'
import type { Approval } from '#contract/approval.ts'
import type { Task } from '#contract/task.ts'
import type { Scenario } from './scenarios.ts'
import type { Stage } from './stage.ts'

const parrot = {
  name: 'parrot',
  config: {
    transport: 'stdio',
    command: process.execPath,
    args: [join(import.meta.dirname, '../support/stdio-mcp-server.ts')],
  },
}

/** The agent has our endpoint: it puts a task on the board, and a tool of a source asks once, by its name in our ledger. */
const ownTools: Scenario = async (stage) => {
  const { box } = stage
  const { body: added } = await box.call('POST', '/mcp/add', parrot)
  expect(added.error).toBeUndefined()
  await stage.until('the parrot', async () => {
    const { body } = await box.call('GET', '/mcp/health')
    return body.data.servers.some(
      ({ name, status }: { name: string; status: string }) => name === 'parrot' && status === 'healthy',
    )
  })
  const { body: made } = await box.call('POST', '/tasks', { title: 'A large thing' })
  const prompt =
    '[[call:create_subtask {"title":"A part of it"}]] [[call:parrot__say_back {"text":"halyard"}]] [[text:Heard.]]'
  const execution = await stage.start('tooled', prompt, undefined, { taskId: made.data.id })
  const answered = await answerAll(stage, execution.id)
  const ended = await stage.ended(execution.id)
  expect([ended.status, ended.error]).toEqual(['succeeded', null])
  const results = stage.turnsOf(prompt).at(-1)?.results.join() ?? ''
  expect(results).toContain('You said: halyard')
  const { body: parts } = await box.call('GET', `/tasks?parentTaskId=${made.data.id}`)
  expect((parts.data as Task[]).map(({ title, createdBy }) => [title, createdBy])).toEqual([
    ['A part of it', `agent:${ended.agentId}`],
  ])
  expect(answered.filter(({ tool }) => tool === 'parrot.say_back')).toMatchObject([
    { input: { text: 'halyard' } },
  ])
  const others = answered.filter(({ tool }) => tool !== 'parrot.say_back')
  if (stage.agent.adapter !== 'acp') expect(others).toEqual([])
  return others.length > 0 ? 'it asks about our tools by itself too' : undefined
}

/** Says yes to whatever is asked, until the turn is over. */
async function answerAll(stage: Stage, executionId: string): Promise<Approval[]> {
  const answered: Approval[] = []
  const { box } = stage
  await stage.until('the end of the turn', async () => {
    const { body } = await box.call('GET', `/approvals?status=waiting&executionId=${executionId}`)
    for (const approval of body.data as Approval[]) {
      const { status } = await box.call('POST', `/approvals/${approval.id}`, { decision: 'granted' })
      if (status === 200) answered.push(approval)
    }
    const { body: now } = await box.call('GET', `/executions/${executionId}`)
    return now.data.endedAt !== null
  })
  return answered
}

export const owning = { 'our own tools, asked for once': ownTools }
