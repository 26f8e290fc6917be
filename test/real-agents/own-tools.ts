import { expect } from 'vitest'
import type { Task } from '#contract/task.ts'
import type { Scenario } from './scenarios.ts'
import { addParrot, answerAll } from './sources.ts'

/** The agent has our endpoint: it puts a task on the board, and a tool of a source asks once, by its name in our ledger. */
const ownTools: Scenario = async (stage) => {
  const { box } = stage
  await addParrot(stage, 'parrot')
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

/** The agent writes code that calls the tools of two sources. One of them has to be asked about: the code stands still, and goes on. */
const byCode: Scenario = async (stage) => {
  const { box } = stage
  await addParrot(stage, 'parrot')
  await addParrot(stage, 'quiet')
  const { status } = await box.call('POST', '/policies/rules', { tool: 'quiet.say_back', effect: 'allow' })
  expect([201, 409]).toContain(status)
  const code = [
    "const one = await mcp.quiet.say_back({ text: 'halyard' })",
    'const two = await mcp.parrot.say_back({ text: one })',
    'return { heard: two.toUpperCase() }',
  ].join('\n')
  const prompt = `[[call:run_code ${JSON.stringify({ code })}]] [[text:Run.]]`
  const execution = await stage.start('tooled', prompt)
  const answered = await answerAll(stage, execution.id)
  const ended = await stage.ended(execution.id)
  expect([ended.status, ended.error]).toEqual(['succeeded', null])
  expect(answered.filter(({ tool }) => tool.endsWith('.say_back'))).toMatchObject([
    { tool: 'parrot.say_back', input: { text: 'You said: halyard' }, codeRunId: expect.any(String) },
  ])
  const results = stage.turnsOf(prompt).at(-1)?.results.join() ?? ''
  expect(results).toContain('YOU SAID: YOU SAID: HALYARD')
  expect(await stage.saidIn(ended)).toContain('Run.')
}

export const owning = {
  'our own tools, asked for once': ownTools,
  'code that calls tools, and waits for a yes': byCode,
}
