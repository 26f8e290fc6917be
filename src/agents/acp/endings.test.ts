import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SessionAgent } from '../port.ts'
import { AcpStage, HeardTurn, brokenParts } from '../../../test/support/scripted-acp/open.ts'

let stage: AcpStage
beforeEach(() => {
  stage = new AcpStage()
})
afterEach(() => stage.close())

const interrupt = (agent: SessionAgent) => agent.tell({ type: 'interrupt', payload: {} })
const said = (text: string) => (event: { type: string }) =>
  JSON.stringify(event).includes(JSON.stringify(text).slice(1, -1))

it('interrupts a turn, and the agent lives on', async () => {
  const agent = await stage.open()
  expect(await interrupt(agent)).toEqual({ outcome: 'refused', reason: 'The turn is over.' })
  const turn = new HeardTurn(agent, 'open build\nsay begun\nstall\nsay never')
  await turn.hear(said('begun'))
  expect(await interrupt(agent)).toEqual({ outcome: 'delivered' })
  expect(await turn.end).toEqual({ reason: 'interrupted', message: null })
  expect(turn.chunks('tool-output-error')).toMatchObject([
    { errorText: 'Interrupted before a result was told' },
  ])
  expect(await new HeardTurn(agent, 'say alive').end).toEqual({ reason: 'completed', message: null })
})

it('counts a normal end after an interrupt as interrupted', async () => {
  const agent = await stage.open()
  const turn = new HeardTurn(agent, 'stop end_turn\nsay begun\nstall')
  await turn.hear(said('begun'))
  await interrupt(agent)
  expect(await turn.end).toEqual({ reason: 'interrupted', message: null })
})

it('answers what is asked with a cancel when the turn is interrupted, and says so', async () => {
  const agent = await stage.open()
  const turn = new HeardTurn(agent, 'ask ls')
  const asked = await turn.asked()
  await interrupt(agent)
  expect(await turn.end).toEqual({ reason: 'interrupted', message: null })
  expect(turn.of('withdrawn')).toEqual([
    { type: 'withdrawn', requestId: asked.requestId, reason: 'The turn was interrupted.' },
  ])
  expect(stage.received().at(-1)).toMatchObject({ id: 0, result: { outcome: { outcome: 'cancelled' } } })
})

it('asks nobody any more once the turn is interrupted', async () => {
  const agent = await stage.open()
  const turn = new HeardTurn(agent, 'say begun\nask-when-cancelled ls')
  await turn.hear(said('begun'))
  await interrupt(agent)
  expect(await turn.end).toEqual({ reason: 'interrupted', message: null })
  expect(turn.of('approval')).toEqual([])
  expect(turn.text()).toBe('begunanswered cancelled')
})

it('does not send what was queued before an interrupt, and says so', async () => {
  const agent = await stage.open()
  const turn = new HeardTurn(agent, 'say begun\nstall')
  await turn.hear(said('begun'))
  await agent.tell({ type: 'message', payload: { text: 'say queued', files: [] } })
  await interrupt(agent)
  await turn.end
  expect(stage.received('session/prompt')).toHaveLength(1)
  expect(turn.chunks('data-notice')).toEqual([
    { type: 'data-notice', data: { text: 'Not sent, because the turn ended before: say queued' } },
  ])
})

it('ends an agent that does not answer an interrupt', async () => {
  const agent = await stage.open({ patience: { interruptMs: 200 } })
  const turn = new HeardTurn(agent, 'say begun\ndeaf')
  await turn.hear(said('begun'))
  await interrupt(agent)
  expect(await turn.end).toEqual({
    reason: 'failed',
    message: 'The agent did not answer an interrupt within 0.2 s, and was ended',
  })
  await agent.exited
})

it('tells all that an agent said before it died, and what it complained of', async () => {
  const crashes = {
    'exit 3': { exitCode: 3, signal: null },
    'kill SIGKILL': { exitCode: null, signal: 'SIGKILL' },
  }
  for (const [crash, end] of Object.entries(crashes)) {
    const agent = await stage.open()
    const turn = new HeardTurn(agent, `open build\nsay last\ncomplain out of memory\n${crash}`)
    expect(await turn.end).toEqual({ reason: 'failed', message: 'out of memory' })
    expect(await agent.exited).toEqual(end)
    expect(turn.text()).toBe('last')
    expect(Buffer.concat(turn.of('data-terminal').map(({ bytes }) => bytes)).toString()).toBe(
      'out of memory\n',
    )
    expect(brokenParts(turn)).toEqual([])
    expect((await new HeardTurn(agent, 'say more').end).reason).toBe('failed')
  }
})

it('withdraws what a dead agent has asked', async () => {
  const agent = await stage.open()
  const turn = new HeardTurn(agent, 'ask ls')
  const asked = await turn.asked()
  process.kill(agent.pid, 'SIGKILL')
  expect((await turn.end).reason).toBe('failed')
  expect(turn.of('withdrawn')).toEqual([
    { type: 'withdrawn', requestId: asked.requestId, reason: 'The agent is gone.' },
  ])
})

it('does not wait for a stranger that holds a dead agent’s output open', async () => {
  const agent = await stage.open()
  const turn = new HeardTurn(agent, 'child 60\nexit 4')
  expect((await turn.end).reason).toBe('failed')
  expect(turn.text()).toMatch(/^child \d+$/)
  expect(await agent.stop(0)).toBe(true)
})

it('stops one that ignores the end of its input and SIGTERM', async () => {
  const agent = await stage.open({ env: { SCRIPTED_IGNORES_END: '1' } })
  expect(await agent.stop(100)).toBe(true)
  expect(await agent.exited).toEqual({ exitCode: null, signal: 'SIGKILL' })
})

it('skips, counts and tells what is no message, and goes on', async () => {
  const agent = await stage.open()
  const turn = new HeardTurn(agent, 'say a\ngarbage 5\nnonsense\nsay b')
  expect(await turn.end).toEqual({ reason: 'completed', message: null })
  expect(turn.text()).toBe('ab')
  expect(turn.chunks('data-notice').map(({ data }) => (data as { text: string }).text)).toEqual([
    ...Array.from({ length: 3 }, () => "Skipped a line that is not a message in the agent's protocol."),
    "10 lines of the agent's protocol could not be read and were skipped.",
  ])
  expect(stage.frames.filter(({ line }) => line.startsWith('garbage 4'))).toHaveLength(1)
  const second = new HeardTurn(agent, 'garbage 1')
  await second.end
  expect(second.chunks('data-notice')).toHaveLength(1)
})
