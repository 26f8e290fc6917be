import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StreamEvent } from '#contract/event.ts'
import { isLive } from '#contract/execution.ts'
import type { Execution } from '#contract/execution.ts'
import { registerScripted, scriptedEnv } from '../support/scripted-agent.ts'
import type { ScriptedAgent } from '../support/scripted-agent.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

// Agents that start one another through programs of their own, which have inherited what the agent was given. Whatever holds the token
// of an agent's process is that agent: its session, its depth, its family.

let box: Signalbox
let lead: ScriptedAgent
const store = mkdtempSync(join(tmpdir(), 'signalbox-store-'))
const patience = { timeout: 60_000, interval: 50 }
const names = ['One', 'Two', 'Three', 'Four']

beforeAll(async () => {
  box = await startSignalbox({ env: { ...scriptedEnv(store), WORKER_MAX_CONCURRENT: '10' } })
  lead = await registerScripted(box, { name: 'Lead' })
  for (const name of names) await registerScripted(box, { name })
}, 60_000)
afterAll(async () => {
  await box?.stop()
  rmSync(store, { recursive: true, force: true })
})

async function run(prompt: string, more: object = {}): Promise<Execution> {
  const asked = { agentId: lead.agentId, prompt, ...more }
  const { status, body } = await box.call('POST', '/agents/spawn', asked)
  expect([status, body.error]).toEqual([201, undefined])
  return body.data
}

async function ended(id: string): Promise<Execution> {
  const read = async (): Promise<Execution> => (await box.call('GET', `/executions/${id}`)).body.data
  await expect.poll(async () => isLive((await read()).status), patience).toBe(false)
  return read()
}

async function said(sessionId: string): Promise<string> {
  const { body } = await box.call('GET', `/sessions/${sessionId}/events?limit=1000`)
  const events: StreamEvent[] = body.data
  return events
    .flatMap(({ type, payload }) => (type === 'text-delta' ? [(payload as { delta: string }).delta] : []))
    .join('')
}

const spawned = (agent: string, prompt: string) => `mcp spawn_agent ${JSON.stringify({ agent, prompt })}`
const executions = async (): Promise<Execution[]> =>
  (await box.call('GET', '/executions?pageSize=200')).body.data

test('a program of an agent starts others as that agent, and is held to what the agent is held to', async () => {
  const { body } = await box.call('POST', '/tasks', { title: 'Shared' })
  const prompt = [
    spawned('One', 'stall'),
    spawned('One', 'stall'),
    spawned('Two', 'stall'),
    spawned('Three', 'stall'),
    spawned('Four', 'stall'),
    'mcp create_subtask {"title":"A part"}',
  ].join('\n')
  const first = await run(prompt, { taskId: body.data.id })
  expect(await ended(first.id)).toMatchObject({ status: 'succeeded' })
  const lines = (await said(first.sessionId)).trim().split('\n')
  expect(lines).toMatchObject([
    expect.stringMatching(/^done: One is queued/),
    expect.stringMatching(/^refused: Agents can start One once in 30 s/),
    expect.stringMatching(/^done: Two/),
    expect.stringMatching(/^done: Three/),
    expect.stringMatching(/^refused: .*3 are queued or running/),
    expect.stringMatching(/^done: Created .*: A part/),
  ])
  const children = (await executions()).filter(({ parentExecutionId }) => parentExecutionId === first.id)
  expect(children.map(({ agentName }) => agentName).toSorted()).toEqual(['One', 'Three', 'Two'])
  for (const { createdBy, taskId, workspaceId } of children)
    expect({ createdBy, taskId, workspaceId }).toEqual({
      createdBy: `agent:${lead.agentId}`,
      taskId: body.data.id,
      workspaceId: (await ended(first.id)).workspaceId,
    })
  await Promise.all(children.map(({ id }) => box.call('POST', `/executions/${id}/cancel`)))
  await Promise.all(children.map(({ id }) => ended(id)))
}, 120_000)

test('a chain of programs that start agents ends at depth three', async () => {
  const last = `say at the end\n${spawned('Four', 'say never')}`
  const prompt = ['One', 'Two', 'Three'].reduceRight((inner, name) => spawned(name, inner), last)
  await run(prompt)
  const atDepth3 = async () => (await executions()).find(({ prompt: words }) => words === last)
  await expect.poll(atDepth3, patience).toBeDefined()
  const { id = '', sessionId = '' } = (await atDepth3()) ?? {}
  expect(await ended(id)).toMatchObject({ agentName: 'Three', status: 'succeeded' })
  expect(await said(sessionId)).toMatch(
    /refused: Agents can start one another 3 deep, and you are at depth 3/,
  )
  expect((await executions()).filter(({ prompt: words }) => words === 'say never')).toEqual([])
}, 120_000)
