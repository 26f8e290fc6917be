import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Scenario } from './scenarios.ts'
import type { Stage } from './stage.ts'

/** A turn that wants to make a file, and has to ask. Answers once it asks. */
async function ask(stage: Stage, name: string) {
  const prompt = `[[bash:touch ${name}]] [[text:So be it.]]`
  const { id } = await stage.start('asking', prompt, stage.sessionOf('asking'))
  const question = await stage.question(id)
  expect(question).toMatchObject({ kind: 'tool', status: 'waiting', executionId: id, position: 1, total: 1 })
  expect(JSON.stringify(question.input)).toContain(`touch ${name}`)
  const file = join(stage.box.work, name)
  expect(existsSync(file)).toBe(false)
  return { prompt, id, question, isMade: () => existsSync(file) }
}

const granted: Scenario = async (stage) => {
  const { prompt, id, question, isMade } = await ask(stage, 'granted.txt')
  const answer = () => stage.box.call('POST', `/approvals/${question.id}`, { decision: 'granted' })
  expect((await answer()).status).toBe(200)
  expect((await answer()).status).toBe(409)
  const execution = await stage.ended(id)
  expect(execution).toMatchObject({ status: 'succeeded', waitingApprovals: 0 })
  expect(isMade()).toBe(true)
  expect(await stage.saidIn(execution)).toContain('So be it.')
  expect(stage.turnsOf(prompt).at(-1)?.results).toHaveLength(1)
}

const refused: Scenario = async (stage) => {
  const { id, question, isMade } = await ask(stage, 'refused.txt')
  const answer = { decision: 'refused', reason: 'Not today' }
  expect((await stage.box.call('POST', `/approvals/${question.id}`, answer)).status).toBe(200)
  return notDone(stage, id, isMade)
}

const expired: Scenario = async (stage) => {
  const { id, question, isMade } = await ask(stage, 'expired.txt')
  const note = await notDone(stage, id, isMade)
  const { body } = await stage.box.call('GET', `/approvals?status=expired&executionId=${id}`)
  expect(body.data).toMatchObject([{ id: question.id, status: 'expired' }])
  return note
}

async function notDone(stage: Stage, id: string, isMade: () => boolean): Promise<string | undefined> {
  const execution = await stage.ended(id)
  expect(isMade()).toBe(false)
  const said = await stage.saidIn(execution)
  if (stage.agent.afterRefusal === 'goes on') {
    expect(execution.status).toBe('succeeded')
    expect(said).toContain('So be it.')
    return undefined
  }
  expect(said).not.toContain('So be it.')
  return 'a refused tool ends its turn: the model is not asked again'
}

export const answering = {
  'an approval granted': granted,
  'an approval refused': refused,
  'an approval expired': expired,
}
