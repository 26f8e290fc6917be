import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Agent } from '#contract/agent.ts'
import type { Task } from '#contract/task.ts'
import type { DriverOnMachine } from '#contract/workspace.ts'
import { readExecution, untilEnded } from '../support/commands.ts'
import { makeRepository } from '../support/repository.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

const patience = { timeout: 30_000 }
let box: Signalbox
let agent: Agent
let capabilityId = ''

beforeAll(async () => {
  // A list that somebody wrote, without the demo's folder: ours runs all the same. No key, and nothing to find on PATH.
  box = await startSignalbox({ env: { ALLOWED_BINARY_DIRS: '/usr/bin' } })
  writeFileSync(join(box.work, 'README.md'), '# Points and signals\n')
  agent = (await box.call('POST', '/agents', { preset: 'demo' })).body.data
  capabilityId = (await box.call('GET', `/agents/${agent.id}/capabilities`)).body.data[0].id
}, 60_000)
afterAll(() => box?.stop())

const start = async (more: object): Promise<{ id: string; sessionId: string }> => {
  const { status, body } = await box.call('POST', '/executions', { capabilityId, ...more })
  expect([status, body.error]).toEqual([201, undefined])
  return body.data
}

async function answer(executionId: string, decision: 'granted' | 'refused'): Promise<object> {
  const waiting = async () =>
    (await box.call('GET', `/approvals?status=waiting&executionId=${executionId}`)).body.data
  await expect.poll(async () => (await waiting()).length, patience).toBe(1)
  const [asked] = await waiting()
  expect((await box.call('POST', `/approvals/${asked.id}`, { decision })).status).toBe(200)
  return asked
}

const said = async (sessionId: string): Promise<string> =>
  JSON.stringify((await box.call('GET', `/sessions/${sessionId}/events?limit=1000`)).body.data)

test('is told of as a preset that is there and needs no login', async () => {
  expect(agent).toMatchObject({ name: 'Demo agent', kind: 'coding', adapter: 'acp', preset: 'demo' })
  const { body } = await box.call('GET', '/agents/presets')
  expect(body.data.at(-1)).toMatchObject({
    key: 'demo',
    installed: true,
    trouble: null,
    login: { state: 'yes' },
  })
})

test('works in a folder through the API: asks, writes what it was allowed, and answers what follows', async () => {
  const task = (await box.call('POST', '/tasks', { title: 'Build a station' })).body.data
  const { id, sessionId } = await start({ prompt: 'Build a station', taskId: task.id })
  expect(await answer(id, 'granted')).toMatchObject({ tool: 'write', title: 'Write SIGNALBOX-DEMO.md' })
  await untilEnded(box, id)
  expect(await readExecution(box, id)).toMatchObject({ status: 'succeeded', error: null })
  const text = readFileSync(join(box.work, 'SIGNALBOX-DEMO.md'), 'utf8')
  expect(text).toContain('The README begins with: Points and signals')
  expect(await said(sessionId)).toMatch(/a script, and no model.*I have written SIGNALBOX-DEMO\.md/s)

  const next = (await box.call('POST', `/executions/${id}/messages`, { text: 'And a bridge' })).body.data
  await untilEnded(box, next.executionId)
  expect(await readExecution(box, next.executionId)).toMatchObject({ status: 'succeeded' })
  expect(await said(sessionId)).toContain('so I cannot act on that')
})

test('works inside walls too', async ({ skip }) => {
  const { body } = await box.call('GET', '/workspaces/drivers')
  const sandbox = body.data[0].drivers.find(({ driver }: DriverOnMachine) => driver === 'sandbox')
  if (!sandbox?.works) skip(sandbox?.reason ?? 'no sandbox here')
  const workspace = (await box.call('POST', '/workspaces', { driver: 'sandbox' })).body.data
  const { id, sessionId } = await start({ prompt: 'Anything', workspaceId: workspace.id })
  await answer(id, 'granted')
  await untilEnded(box, id)
  expect(await readExecution(box, id)).toMatchObject({ status: 'succeeded', error: null })
  const read = await box.call('POST', `/sessions/${sessionId}/tools/read`, { path: 'SIGNALBOX-DEMO.md' })
  expect(read.body.data.content).toContain('a script and no model')
})

test('is measured: the card of its task says how many turns, and how much it has changed', async () => {
  const root = makeRepository(join(box.work, 'yard'), { 'README.md': '# Yard\n' })
  const folders = (await box.call('GET', '/workspaces/folders')).body.data
  expect(folders).toMatchObject([
    { path: box.work, isRepository: false },
    { path: root, name: 'yard', isRepository: true },
  ])
  expect((await box.call('GET', '/workspaces/folders?path=/etc')).status).toBe(403)
  const workspace = (await box.call('POST', '/workspaces', { driver: 'folder', root })).body.data
  const task = (await box.call('POST', '/tasks', { title: 'Lay the rails' })).body.data
  const listed = async () =>
    (await box.call('GET', '/tasks?q=Lay the rails')).body.data.find(({ id }: Task) => id === task.id)
  expect((await listed()).work).toBe(null)
  const { id, sessionId } = await start({ workspaceId: workspace.id, taskId: task.id })
  await answer(id, 'granted')
  await expect
    .poll(async () => (await listed()).work, patience)
    .toMatchObject({
      turns: 1,
      executionId: id,
      sessionId,
      agentName: 'Demo agent',
      status: 'succeeded',
      changes: { files: 1, additions: 7, deletions: 0 },
    })
  const read = await readExecution(box, id)
  expect(read.changes).toEqual({ files: 1, additions: 7, deletions: 0 })
})
