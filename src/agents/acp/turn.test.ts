import { afterEach, beforeEach, expect, it } from 'vitest'
import { AcpStage, HeardTurn, brokenParts } from '../../../test/support/scripted-acp/open.ts'

let stage: AcpStage
beforeEach(() => {
  stage = new AcpStage()
})
afterEach(() => stage.close())

it('tells a turn in parts that are opened and closed, in order', async () => {
  const agent = await stage.open()
  const turn = new HeardTurn(
    agent,
    'think hm\nsay one\nsay two\ntool search three hits\nsay four\nusage 10 5',
  )
  expect(await turn.end).toEqual({ reason: 'completed', message: null })
  expect(turn.chunks().map(({ type }) => type)).toEqual([
    'start',
    'start-step',
    'reasoning-start',
    'reasoning-delta',
    'reasoning-end',
    'text-start',
    'text-delta',
    'text-delta',
    'text-end',
    'tool-input-start',
    'tool-input-available',
    'tool-output-available',
    'text-start',
    'text-delta',
    'text-end',
    'finish-step',
    'finish',
  ])
  expect(turn.text()).toBe('onetwofour')
  expect(turn.chunks('tool-output-available')).toMatchObject([
    { output: 'three hits', dynamic: true, providerExecuted: true },
  ])
  expect(turn.of('usage').at(-1)?.usage).toEqual({
    inputTokens: 10,
    outputTokens: 5,
    steps: 2,
    costUsd: null,
  })
})

it('says at the first turn what began, and of which kind the agent is', async () => {
  const agent = await stage.open()
  const turn = new HeardTurn(agent, 'say hello')
  await turn.end
  expect(turn.of('session').map(({ facts }) => facts)).toEqual([
    {
      sessionRef: expect.any(String),
      began: 'new',
      agentVersion: '1.2.3',
      model: 'small',
      models: [
        { id: 'small', label: 'The small one' },
        { id: 'large', label: 'The large one' },
      ],
      mode: 'ask',
      modes: ['ask', 'edit', 'impossible'].map((id) => ({ id, label: `The mode ${id}` })),
    },
  ])
  const second = new HeardTurn(agent, 'say again')
  expect(await second.end).toEqual({ reason: 'completed', message: null })
  expect(second.of('session')).toEqual([])
})

it('tells plans and closes tools that never told a result', async () => {
  const turn = new HeardTurn(await stage.open(), 'plan look write\nopen build')
  await turn.end
  expect(turn.chunks('data-plan')).toEqual([
    {
      type: 'data-plan',
      data: {
        entries: [
          { content: 'look', status: 'pending', priority: 'high' },
          { content: 'write', status: 'pending', priority: 'high' },
        ],
      },
    },
  ])
  expect(turn.chunks('tool-output-error')).toMatchObject([{ errorText: 'No result was told' }])
  expect(brokenParts(turn)).toEqual([])
})

it('tells one piece of megabytes whole, in pieces', async () => {
  const turn = new HeardTurn(await stage.open(), 'long 5000000')
  await turn.end
  expect(turn.text()).toBe('é'.repeat(5_000_000))
  expect(Math.max(...turn.chunks('text-delta').map(({ delta }) => String(delta).length))).toBe(32 * 1024)
})

it('skips a line that is too long, and says so', async () => {
  const turn = new HeardTurn(await stage.open(), 'say a\nlong 9000000\nsay b')
  expect(await turn.end).toEqual({ reason: 'completed', message: null })
  expect(turn.text()).toBe('ab')
  expect(turn.chunks('data-notice')).toMatchObject([
    { data: { text: expect.stringMatching(/^Skipped a line of 18\d{6} bytes/) } },
  ])
})

it('reads on between two turns, and says in the next that it did not keep all of it', async () => {
  const agent = await stage.open()
  await new HeardTurn(agent, 'say one\nbabble 12000').end
  await expect.poll(() => stage.frames.at(-1)?.line, { timeout: 20_000 }).toContain('babble 12000;')
  const second = new HeardTurn(agent, 'say two')
  expect(await second.end).toEqual({ reason: 'completed', message: null })
  expect(second.text()).toMatch(/^babble 1;babble 2;.*two$/)
  expect(second.chunks('data-notice').at(-1)).toMatchObject({
    data: { text: expect.stringMatching(/^\d+ messages that came between two turns were not kept$/) },
  })
  expect(brokenParts(second)).toEqual([])
})

it('cuts no character in two', async () => {
  const turn = new HeardTurn(await stage.open(), 'long 40000 a😀')
  await turn.end
  const deltas = turn.chunks('text-delta').map(({ delta }) => String(delta))
  expect(deltas.every((delta) => delta.isWellFormed())).toBe(true)
  expect(deltas.join('')).toBe('a😀'.repeat(40_000))
})

it('loses nothing of 5,000 updates in a second', { timeout: 30_000 }, async () => {
  const turn = new HeardTurn(await stage.open(), 'flood 5000 2')
  await turn.end
  const numbers = turn.text().split(';').slice(0, -1).map(Number)
  expect(numbers).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1))
})

it('queues a message that comes while it is busy, and runs it in the same turn', async () => {
  const agent = await stage.open()
  const turn = new HeardTurn(agent, 'ask ls')
  const asked = await turn.asked()
  const told = await agent.tell({ type: 'message', payload: { text: 'say second', files: [] } })
  expect(told).toEqual({ outcome: 'delivered', how: 'queued' })
  expect(stage.received('session/prompt')).toHaveLength(1)
  await turn.answer(asked, 'granted')
  expect(await turn.end).toEqual({ reason: 'completed', message: null })
  expect(turn.text()).toBe('answered yessecond')
  const late = await agent.tell({ type: 'message', payload: { text: 'say late', files: [] } })
  expect(late).toEqual({ outcome: 'refused', reason: 'The turn is over.' })
})

it('adds up the tokens of queued messages, and takes the cost of the turn from that of the session', async () => {
  const agent = await stage.open()
  const first = new HeardTurn(agent, 'ask ls\ncost 0.01\nusage 100 10')
  const asked = await first.asked()
  await agent.tell({ type: 'message', payload: { text: 'cost 0.03\nusage 200 20', files: [] } })
  await first.answer(asked, 'granted')
  await first.end
  expect(first.of('usage').at(-1)?.usage).toMatchObject({
    inputTokens: 300,
    outputTokens: 30,
    costUsd: 0.03,
    contextUsed: 1000,
    contextWindow: 200_000,
  })
  const second = new HeardTurn(agent, 'cost 0.035\nusage 1 1')
  await second.end
  expect(second.of('usage').at(-1)?.usage).toMatchObject({ inputTokens: 1, costUsd: 0.005 })
})

it('fails with the innermost message that can be read', async () => {
  const agent = await stage.open()
  const failures = {
    'error 400 {"error":{"code":400,"message":"bad thing","status":"INVALID"}}': 'bad thing',
    'error -32603 Internal error: API Error: 400 bad thing': 'API Error: 400 bad thing',
    'stop max_tokens': 'The agent reached the most tokens that it may use',
    'stop refusal': 'The model refused to go on',
    'stop tired': 'The agent stopped: tired',
  }
  for (const [script, message] of Object.entries(failures))
    expect(await new HeardTurn(agent, script).end).toEqual({ reason: 'failed', message })
  expect(await new HeardTurn(agent, 'say alive').end).toEqual({ reason: 'completed', message: null })
})

it('refuses an image that the agent cannot take, and a file outside of the workspace', async () => {
  const agent = await stage.open({ env: { SCRIPTED_CAN: 'load' } })
  const image = { url: 'data:image/png;base64,AAAA', mediaType: 'image/png', name: 'shot.png' }
  expect(await new HeardTurn(agent, 'say it', [image]).end).toEqual({
    reason: 'failed',
    message: 'This agent takes no images: shot.png was not sent.',
  })
  const turn = new HeardTurn(agent, 'ask ls', [{ url: 'notes.txt', mediaType: 'text/plain' }])
  const asked = await turn.asked()
  const outside = [{ url: '../secret', mediaType: 'text/plain' }]
  expect(await agent.tell({ type: 'message', payload: { text: '', files: outside } })).toEqual({
    outcome: 'refused',
    reason: 'The file ../secret is not in the workspace.',
  })
  await turn.answer(asked, 'granted')
  await turn.end
  expect(stage.received('session/prompt').map(({ params }) => params?.['prompt'])).toEqual([
    [
      { type: 'text', text: 'ask ls' },
      {
        type: 'resource_link',
        uri: `file://${stage.folder}/notes.txt`,
        name: 'notes.txt',
        mimeType: 'text/plain',
      },
    ],
  ])
})
