import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, test } from 'vitest'
import type { ApprovalAsked } from '#contract/agent-event.ts'
import type { AgentEvent, SessionAgent } from '../port.ts'
import { granted, prompt, withFake } from '../../../test/support/fake-claude.ts'

const chunksIn = (events: AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'chunk' ? [event.chunk] : []))
const textIn = (events: AgentEvent[]) =>
  chunksIn(events)
    .map(({ delta }) => (typeof delta === 'string' ? delta : ''))
    .join('')
const noticesIn = (events: AgentEvent[]) =>
  chunksIn(events).flatMap(({ type, data }) =>
    type === 'data-notice' ? [(data as { text: string }).text] : [],
  )
const usageIn = (events: AgentEvent[]) => events.findLast((event) => event.type === 'usage')?.usage
const lastChunk = (events: AgentEvent[]) => chunksIn(events).at(-1)

/** Does this once, when the agent says something of this kind. */
function once(is: (event: AgentEvent) => boolean, act: (event: AgentEvent) => void) {
  let isDone = false
  return (event: AgentEvent) => {
    if (isDone || !is(event)) return
    isDone = true
    act(event)
  }
}
const isDelta = (event: AgentEvent) => event.type === 'chunk' && event.chunk.type === 'text-delta'
const whenAsked = (act: (approval: ApprovalAsked) => unknown) => (event: AgentEvent) => {
  if (event.type === 'approval') void act(event.approval)
}

it('takes any number of turns, and tells of each what it alone has used', () =>
  withFake('two-turns', async ({ turn }) => {
    const first = await turn('go')
    expect(first.end).toEqual({ reason: 'completed', message: null })
    expect(chunksIn(first.events)[0]).toEqual({ type: 'start' })
    expect(lastChunk(first.events)).toEqual({ type: 'finish', finishReason: 'stop' })
    expect(usageIn(first.events)).toMatchObject({
      inputTokens: 2000,
      outputTokens: 100,
      steps: 2,
      costUsd: 0.01,
    })
    const second = await turn('on')
    expect(textIn(second.events)).toContain('text second answer')
    expect(usageIn(second.events)).toMatchObject({
      inputTokens: 1000,
      outputTokens: 50,
      steps: 1,
      costUsd: 0.005,
    })
  }))

it('does not count what was spent before it was resumed', () =>
  withFake('resumed', async ({ turn }) => {
    const { events } = await turn('go')
    expect(usageIn(events)?.costUsd).toBe(0.005)
  }))

it('tells which models and modes there are, once', () =>
  withFake('startup', async ({ turn }) => {
    const { events } = await turn('go')
    const facts = events.flatMap((event) => (event.type === 'session' ? [event.facts] : []))
    expect(facts[0]).toMatchObject({ began: 'new', mode: 'default', agentVersion: '2.1.325' })
    expect(facts[0]?.models?.map(({ id }) => id)).toEqual(['default', 'opus', 'fable', 'sonnet', 'haiku'])
    expect(facts[0]?.modes?.map(({ id }) => id)).toEqual([
      'default',
      'acceptEdits',
      'plan',
      'dontAsk',
      'auto',
    ])
    expect(facts.filter(({ models }) => models)).toHaveLength(1)
  }))

it('hands over what a person decides, and only that', () =>
  withFake('permissions', async ({ agent, turn, told }) => {
    const outcomes: unknown[] = []
    const first = await turn(
      'go',
      whenAsked(async (approval) => {
        outcomes.push(await agent.tell(granted({ ...approval, requestId: 'another' })))
        outcomes.push(await agent.tell(granted(approval)))
        outcomes.push(await agent.tell(granted(approval)))
      }),
    )
    expect(first.events).toContainEqual({
      type: 'approval',
      approval: expect.objectContaining({
        kind: 'tool',
        tool: 'Bash',
        subject: 'touch allowed.txt',
        readOnly: false,
      }),
    })
    expect(outcomes).toEqual([
      { outcome: 'refused', reason: 'This is not asked, or not any more.' },
      { outcome: 'delivered' },
      { outcome: 'refused', reason: 'This is not asked, or not any more.' },
    ])
    const second = await turn(
      'again',
      whenAsked((approval) => agent.tell(granted(approval, { decision: 'refused', reason: 'not today' }))),
    )
    expect(chunksIn(second.events)).toContainEqual(expect.objectContaining({ type: 'tool-output-denied' }))
    const answers = told().flatMap(({ type, response }) => (type === 'control_response' ? [response] : []))
    expect(answers).toMatchObject([
      { subtype: 'success', response: { behavior: 'allow', updatedInput: { command: 'touch allowed.txt' } } },
      { subtype: 'success', response: { behavior: 'deny', message: 'not today' } },
    ])
  }))

it('takes an answer to something else for a no, and says so', () =>
  withFake('permissions', async ({ agent, turn, told }) => {
    const outcomes: unknown[] = []
    const { events } = await turn(
      'go',
      whenAsked(async (approval) => {
        outcomes.push(await agent.tell(granted({ ...approval, input: { command: 'rm -rf /' } })))
        outcomes.push(await agent.tell(granted(approval)))
      }),
    )
    expect(outcomes).toEqual([
      { outcome: 'refused', reason: 'Something else was asked.' },
      { outcome: 'refused', reason: 'This is not asked, or not any more.' },
    ])
    const reason = 'The answer was not taken: Something else was asked.'
    const requestId = events.flatMap((event) =>
      event.type === 'approval' ? [event.approval.requestId] : [],
    )[0]
    expect(events).toContainEqual({ type: 'withdrawn', requestId, reason })
    const answers = told().flatMap(({ type, response }) => (type === 'control_response' ? [response] : []))
    expect(answers).toMatchObject([
      { request_id: requestId, response: { behavior: 'deny', message: reason } },
    ])
  }))

it('asks questions, and plans with what is planned', () =>
  withFake('question-and-plan', async ({ agent, turn, told }) => {
    const asked: ApprovalAsked[] = []
    await turn(
      'ask',
      whenAsked(async (approval) => {
        asked.push(approval)
        await agent.tell(granted(approval, { content: { 'question-1': 'Blue' } }))
      }),
    )
    await agent.tell({ type: 'mode', payload: { mode: 'plan' } })
    await turn(
      'plan',
      whenAsked((approval) => {
        asked.push(approval)
        return agent.tell(granted(approval))
      }),
    )
    expect(asked).toMatchObject([
      {
        kind: 'question',
        questions: [{ question: 'Which color?', choices: [{ id: 'Red' }, { id: 'Blue' }], multiple: false }],
      },
      { kind: 'plan', input: { plan: '1. do it' } },
    ])
    const answers = told().flatMap(({ type, response }) => (type === 'control_response' ? [response] : []))
    expect(answers).toMatchObject([
      { response: { updatedInput: { answers: { 'Which color?': 'Blue' } } } },
      { response: { behavior: 'allow', updatedInput: {} } },
    ])
  }))

it('interrupts while it speaks, while a tool runs and while it asks; what it asked is withdrawn', () =>
  withFake('interrupts', async ({ agent, turn }) => {
    const interrupt = () => agent.tell({ type: 'interrupt', payload: {} })
    const speaking = await turn(
      'slow',
      once(isDelta, () => void interrupt()),
    )
    expect(speaking.end).toEqual({ reason: 'interrupted', message: null })
    expect(lastChunk(speaking.events)).toEqual({ type: 'finish', finishReason: 'other' })
    expect(usageIn(speaking.events)).toMatchObject({ inputTokens: 1000, steps: 1 })
    expect((await turn('again')).end.reason).toBe('completed')

    const running = await turn(
      'sleep',
      whenAsked(async (approval) => {
        await agent.tell(granted(approval))
        await interrupt()
      }),
    )
    expect(running.end.reason).toBe('interrupted')

    let requestId = ''
    const waiting = await turn(
      'sleep',
      whenAsked((approval) => {
        requestId = approval.requestId
        return interrupt()
      }),
    )
    expect(waiting.end.reason).toBe('interrupted')
    expect(waiting.events).toContainEqual({
      type: 'withdrawn',
      requestId,
      reason: 'The turn was interrupted',
    })
  }))

test('a message that an older Claude answers by a result of its own belongs to the turn', () =>
  withFake('two-turns', async ({ agent, turn }) => {
    const { end, events } = await turn(
      'go',
      once(isDelta, () => void queue(agent)),
    )
    expect(end.reason).toBe('completed')
    expect(textIn(events)).toContain('second answer')
    expect(usageIn(events)).toMatchObject({ inputTokens: 3000, steps: 3 })
    expect(chunksIn(events).filter(({ type }) => type === 'finish')).toHaveLength(1)
  }))

const queue = (agent: SessionAgent) => agent.tell({ type: 'message', payload: prompt('and then') })

test('a message that is taken up while a tool runs has no result of its own', () =>
  withFake('message-while-tool-runs', async ({ agent, turn }) => {
    const isCall = (event: AgentEvent) =>
      event.type === 'chunk' && event.chunk.type === 'tool-input-available'
    let outcome: unknown
    const { end } = await turn(
      'go',
      once(isCall, () => void queue(agent).then((told) => (outcome = told))),
    )
    expect(outcome).toEqual({ outcome: 'delivered', how: 'queued' })
    expect(end.reason).toBe('completed')
  }))

test('two messages that waited are answered by one result', () =>
  withFake('two-messages-one-result', async ({ agent, turn }) => {
    const { end, events } = await turn(
      'go',
      once(isDelta, () => void Promise.all([queue(agent), queue(agent)])),
    )
    expect(end.reason).toBe('completed')
    expect(textIn(events)).toContain('queued two')
    expect(usageIn(events)).toMatchObject({ steps: 2, costUsd: 0.01 })
  }))

test('an interrupt is for all that waits too: what cannot be taken back is interrupted as well', () =>
  withFake('interrupt-with-queue', async ({ agent, turn, lines }) => {
    const { end, events } = await turn(
      'go',
      once(isDelta, () => {
        void queue(agent)
        void queue(agent)
        void agent.tell({ type: 'interrupt', payload: {} })
      }),
    )
    expect(end).toEqual({ reason: 'interrupted', message: null })
    expect(noticesIn(events)).toEqual(['A message was not run: the turn was interrupted before'])
    const asked = lines.flatMap((line) => /^in .*"subtype":"(\w+)"/.exec(line)?.[1] ?? [])
    expect(asked.filter((subtype) => subtype !== 'get_session_cost')).toEqual([
      'initialize',
      'cancel_async_message',
      'cancel_async_message',
      'interrupt',
      'interrupt',
    ])
  }))

test('between turns there is nothing to interrupt, and no message is taken', () =>
  withFake('two-turns', async ({ agent }) => {
    expect(await agent.tell({ type: 'interrupt', payload: {} })).toMatchObject({ outcome: 'refused' })
    expect(await queue(agent)).toMatchObject({ outcome: 'refused', reason: 'No turn is under way.' })
  }))

test.each([
  ['error-400', 'API Error: 400 bad request thing'],
  ['not-logged-in', 'Not logged in · Please run /login'],
  ['max-turns', 'The limit of steps is reached: Reached maximum number of turns (1)'],
  ['max-budget', 'The budget in dollars is spent: Reached maximum budget ($0.006)'],
])('%s fails the turn, and says why', (recording, message) =>
  withFake(recording, async ({ turn }) => {
    const { end, events } = await turn('go')
    expect(end).toEqual({ reason: 'failed', message })
    expect(chunksIn(events).slice(-2)).toEqual([
      { type: 'error', errorText: message },
      { type: 'finish', finishReason: 'error' },
    ])
  }),
)

test('a limit of steps holds for one turn; the next goes on', () =>
  withFake('max-turns', async ({ turn }) => {
    expect((await turn('go')).end.reason).toBe('failed')
    expect((await turn('on')).end.reason).toBe('completed')
  }))

test('attempts are told before it fails in the end', () =>
  withFake('error-500', async ({ turn }) => {
    const { end, events } = await turn('go')
    expect(noticesIn(events)).toHaveLength(2)
    expect(end.message).toContain('API Error: 500 boom')
  }))

test('input that ends in the middle of a turn does not cut it off', () =>
  withFake('eof-mid-turn', async ({ turn }) => {
    expect((await turn('go')).end.reason).toBe('completed')
  }))

test.each([
  ['killed', { exitCode: null, signal: 'SIGKILL' }],
  ['terminated', { exitCode: 143, signal: null }],
])('%s in the middle of a turn: all it said is told and closed', (recording, exited) =>
  withFake(recording, async ({ agent, turn }) => {
    const { end, events } = await turn('go')
    expect(end.reason).toBe('failed')
    expect(await agent.exited).toEqual(exited)
    expect(textIn(events)).toContain('I will call a tool.')
    expect(lastChunk(events)).toEqual({ type: 'finish', finishReason: 'error' })
    expect((await turn('on')).end).toEqual({ reason: 'failed', message: 'The agent is gone.' })
    expect(await queue(agent)).toEqual({ outcome: 'refused', reason: 'The agent is gone.' })
  }),
)

test('dead while it asks: the question is withdrawn, and the call closed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cut-off-'))
  const recorded = readFileSync(join(import.meta.dirname, 'fixtures/permissions.ndjson'), 'utf8').split('\n')
  const asks = recorded.findIndex((line) => line.includes('"can_use_tool"'))
  const file = join(folder, 'cut-off.ndjson')
  writeFileSync(file, [...recorded.slice(0, asks + 1), '{"dir":"exit","signal":"SIGKILL"}'].join('\n'))
  try {
    await withFake(file, async ({ turn }) => {
      let requestId = ''
      const { end, events } = await turn(
        'go',
        whenAsked((approval) => (requestId = approval.requestId)),
      )
      expect(end.reason).toBe('failed')
      expect(events).toContainEqual({
        type: 'withdrawn',
        requestId,
        reason: 'The agent does not wait for it any more',
      })
      expect(chunksIn(events)).toContainEqual(
        expect.objectContaining({ type: 'tool-output-error', errorText: 'The turn ended before this did' }),
      )
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
