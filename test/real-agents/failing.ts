import { expect } from 'vitest'
import type { RealAgent } from './agents.ts'
import type { Scenario } from './scenarios.ts'
import type { Stage } from './stage.ts'

/** The model refuses for good: the turn fails and says why, and the session goes on. */
const refusedFor = (status: number, words = new RegExp(`Refused with ${status}`)): Scenario => {
  return async (stage) => {
    const execution = await stage.run('free', `[[status:${status}]] for good`, stage.sessionOf('free'))
    expect(execution.status).toBe('failed')
    expect(execution.error).toMatch(words)
    await goesOn(stage, execution.sessionId)
  }
}

/** Once only: it tries again by itself, or the turn fails. Either is told as what it is. */
const onceOnly = (what: keyof RealAgent['after'], mark: string): Scenario => {
  return async (stage) => {
    const prompt = `[[${mark}]] [[text:Better now.]]`
    const execution = await stage.run('free', prompt, stage.sessionOf('free'))
    if (stage.agent.after[what] === 'recovers') {
      expect(execution).toMatchObject({ status: 'succeeded', error: null })
      expect(await stage.saidIn(execution)).toContain('Better now.')
      expect(stage.turnsOf(prompt)[1]?.step.type).toBe('text')
      return 'it tried again by itself'
    }
    expect(execution.status).toBe('failed')
    expect(execution.error).toEqual(expect.any(String))
    await goesOn(stage, execution.sessionId)
    return 'the turn fails and says why'
  }
}

async function goesOn(stage: Stage, sessionId: string): Promise<void> {
  const next = await stage.run('free', '[[text:Onwards.]]', sessionId)
  expect(next).toMatchObject({ status: 'succeeded' })
  expect(await stage.saidIn(next)).toBe('Onwards.')
}

export const failing: Record<string, Scenario> = {
  'the model answers 400': refusedFor(400),
  'the model answers 401': refusedFor(401, /Refused with 401|Authentication required/),
  'the model answers 429 once': onceOnly('429', 'status:429 1'),
  'the model answers 500 once': onceOnly('500', 'status:500 1'),
  'the model drops a stream once': onceOnly('a dropped stream', 'drop:1'),
}
