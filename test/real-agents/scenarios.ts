import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { StreamEvent } from '#contract/event.ts'
import { endProcess } from '#lib/process-end.ts'
import { readRecord } from '../../src/main/up/record.ts'
import { readExecution } from '../support/commands.ts'
import { answering } from './answering.ts'
import { failing } from './failing.ts'
import { owning } from './own-tools.ts'
import type { Stage } from './stage.ts'

/** Throws when it does not go as it should; answers with what is to be said of it below the table, if anything. */
export type Scenario = (stage: Stage) => Promise<string | undefined | void>

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1} `).join('')
const callOf = ({ payload }: StreamEvent) => (payload as { toolCallId: string }).toolCallId
const fileIn = ({ box }: Stage, name: string) => join(box.work, name)

async function firstTurn(stage: Stage): Promise<void> {
  const prompt = '[[bash:echo made > first.txt]] [[text:All is well.]]'
  const execution = await stage.run('free', prompt)
  expect(execution).toMatchObject({ status: 'succeeded', error: null })
  expect(readFileSync(fileIn(stage, 'first.txt'), 'utf8')).toBe('made\n')
  const told = await stage.told(execution)
  const [called] = told.filter(({ type }) => type === 'tool-input-available').map(callOf)
  expect(called).toEqual(expect.any(String))
  expect(told.filter(({ type }) => type === 'tool-output-available').map(callOf)).toContain(called)
  expect(await stage.saidIn(execution)).toContain('All is well.')
  const steps = stage.turnsOf(prompt).map(({ step }) => step.type)
  expect(steps.slice(0, 2)).toEqual(['bash', 'text']) // some ask for a suggestion afterwards
  expect(execution.usage).toMatchObject({ outputTokens: expect.any(Number) })
  expect(execution.sessionRef).toEqual(expect.any(String))
}

async function secondTurn(stage: Stage): Promise<void> {
  const first = await stage.run('free', '[[text:One.]] for the first time')
  const second = await stage.run('free', '[[text:Two.]] for the second time', first.sessionId)
  expect(second).toMatchObject({ status: 'succeeded', sessionRef: first.sessionRef, pid: first.pid })
  expect(await stage.saidIn(second)).toBe('Two.')
  expect(stage.turnsOf('for the second time')[0]?.heard.join()).toContain('for the first time')
}

async function interrupted(stage: Stage): Promise<void> {
  const { id, sessionId } = await stage.start('free', '[[slow:600]] until somebody interrupts')
  await stage.until(
    'its first words',
    async () => (await stage.saidIn(await readExecution(stage.box, id))) !== '',
  )
  expect((await stage.box.call('POST', `/executions/${id}/interrupt`)).status).toBe(202)
  const execution = await stage.ended(id)
  expect(execution.status).toBe('cancelled')
  expect(await stage.saidIn(execution)).not.toContain('600')
  const next = await stage.run('free', '[[text:Still here.]]', sessionId)
  expect(next).toMatchObject({ status: 'succeeded', pid: execution.pid })
  expect(await stage.saidIn(next)).toBe('Still here.')
}

async function agentKilled(stage: Stage): Promise<string> {
  const first = await stage.run('free', '[[text:Remember.]] the word is halyard')
  const { id } = await stage.start('free', '[[slow:600]] until it dies', first.sessionId)
  const running = await stage.until('its first words', async () => {
    const execution = await readExecution(stage.box, id)
    return (await stage.saidIn(execution)) !== '' && execution
  })
  process.kill(running.pid!, 'SIGKILL')
  expect(await stage.ended(id)).toMatchObject({ status: 'failed' })
  const next = await stage.run('free', '[[text:Here again.]] after death', first.sessionId)
  expect(next).toMatchObject({ status: 'succeeded', sessionRef: first.sessionRef })
  expect(next.pid).not.toBe(running.pid)
  expect(await stage.saidIn(next)).toBe('Here again.')
  expect(stage.turnsOf('after death')[0]?.heard.join()).toContain('halyard')
  const told = await stage.told(next)
  const began = told.flatMap(({ type, payload }) => (type === 'data-session' ? [payload] : []))
  const how = began.map((facts) => (facts as { began?: string }).began).find(Boolean)
  expect(how).toMatch(/^(resumed|loaded)$/)
  return `its session was ${how}`
}

async function workerKilled(stage: Stage): Promise<void> {
  const { id } = await stage.start('free', '[[slow:40]] while the worker dies')
  await stage.until(
    'its first words',
    async () => (await stage.saidIn(await readExecution(stage.box, id))) !== '',
  )
  const worker = readRecord(stage.box.home)!.children.find(({ name }) => name === 'worker')!
  await endProcess(worker, [{ signal: 'SIGKILL', patienceMs: 5_000 }])
  const execution = await stage.ended(id)
  expect(execution.status).toBe('succeeded')
  expect((await stage.saidIn(execution)).trim()).toBe(numbers(40).trim())
  expect(stage.turnsOf('while the worker dies')).toHaveLength(1)
}

async function handedIn(stage: Stage): Promise<void> {
  const prompt = '[[call:say_back {"text":"halyard"}]] [[text:Heard.]]'
  const execution = await stage.run('equipped', prompt)
  expect(stage.model.complaints).toEqual([])
  expect(execution).toMatchObject({ status: 'succeeded' })
  expect(stage.turnsOf(prompt).at(-1)?.results.join()).toContain('You said: halyard')
  expect(JSON.stringify(await stage.told(execution))).toContain('You said: halyard')
}

async function toolsOfWorkspace(stage: Stage): Promise<void> {
  writeFileSync(fileIn(stage, 'halyard.txt'), 'a rope\n')
  const prompt = '[[call:search_files {"pattern":"rop.","type":"content"}]] [[text:Found.]]'
  const execution = await stage.run('equipped', prompt)
  expect(stage.model.complaints).toEqual([])
  expect(execution).toMatchObject({ status: 'succeeded' })
  expect(stage.turnsOf(prompt).at(-1)?.results.join()).toContain('halyard.txt:1: a rope')
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  'a first turn with a tool call': firstTurn,
  ...answering,
  'interrupted in the middle of a sentence': interrupted,
  'a second turn in the same session': secondTurn,
  'kill -9 of the agent, and resume': agentKilled,
  'kill -9 of the worker, and the turn ends': workerKilled,
  ...failing,
  'an MCP server handed in': handedIn,
  'the tools of a workspace, as MCP': toolsOfWorkspace,
  ...owning,
}
