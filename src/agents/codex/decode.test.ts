import { readUIMessageStream } from 'ai'
import type { UIMessage, UIMessageChunk } from 'ai'
import { expect, test } from 'vitest'
import type { Chunk, Usage } from '#contract/agent-event.ts'
import type { AgentEvent } from '../port.ts'
import { Decoder } from './decode.ts'
import type { RecordedTurn } from './fixtures/recording.ts'
import { recordedTurns } from './fixtures/recording.ts'

const recordings = [
  'two-turns',
  'approvals',
  'steer-interrupt',
  'errors',
  'no-key',
  'background-shell',
  'mcp',
  'file-changes',
]

function decode(turn: RecordedTurn, decoder = new Decoder()): AgentEvent[] {
  return [
    ...turn.said.flatMap(({ method, params, at }) => decoder.take(method, params, at)),
    ...decoder.close(turn.status || 'failed'),
  ]
}

const chunksIn = (events: AgentEvent[]): Chunk[] =>
  events.flatMap((event) => (event.type === 'chunk' ? [event.chunk] : []))
const usages = (events: AgentEvent[]): Usage[] =>
  events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []))

/** As the ecosystem's clients read it. Rejects at the first chunk that does not fit. */
async function asMessage(chunks: Chunk[]): Promise<UIMessage | undefined> {
  const stream = ReadableStream.from([{ type: 'start' }, ...chunks] as UIMessageChunk[])
  let message: UIMessage | undefined
  for await (const state of readUIMessageStream({ stream, terminateOnError: true })) message = state
  return message
}

const isOpen = (part: UIMessage['parts'][number]): boolean =>
  part.type === 'dynamic-tool'
    ? !part.state.startsWith('output') || ('preliminary' in part && part.preliminary)
    : 'state' in part && part.state !== 'done'

const find = (name: string, prompt: string): RecordedTurn =>
  recordedTurns(name).find((turn) => turn.prompt.includes(prompt))!

test.for(recordings)('every turn of %s is a whole message with nothing left open', async (name) => {
  for (const turn of recordedTurns(name)) {
    const message = await asMessage(chunksIn(decode(turn)))
    expect((message?.parts ?? []).filter(isOpen)).toEqual([])
  }
})

test('text, reasoning and a command come out as parts', async () => {
  const decoder = new Decoder()
  const [first, second] = recordedTurns('two-turns').map((turn) => decode(turn, decoder))
  expect((await asMessage(chunksIn(first!)))?.parts).toMatchObject([
    { type: 'data-notice' },
    {
      type: 'dynamic-tool',
      toolName: 'shell',
      input: { command: 'echo hi > out.txt; cat out.txt' },
      output: { output: 'hi\n', exitCode: 0 },
      providerExecuted: true,
    },
    { type: 'text', text: 'All done.' },
  ])
  // The warning that Codex repeats every turn is told once.
  expect((await asMessage(chunksIn(second!)))?.parts).toMatchObject([
    { type: 'reasoning', text: 'pondering it' },
    { type: 'text', text: 'second turn text' },
  ])
})

test('a turn has used what the thread has used since it began, not all of it', () => {
  const decoder = new Decoder()
  const [first, second] = recordedTurns('two-turns').map((turn) => usages(decode(turn, decoder)).at(-1))
  expect(first).toMatchObject({ inputTokens: 2000, outputTokens: 100, steps: 2, costUsd: null })
  expect(second).toMatchObject({ inputTokens: 1000, outputTokens: 50, steps: 1, contextUsed: 1050 })
})

test('numbers that are told twice are one step', () => {
  const [turn] = recordedTurns('two-turns')
  const last = turn!.said.findLast(({ method }) => method === 'thread/tokenUsage/updated')!
  const told = usages(decode({ ...turn!, said: [...turn!.said, last] })).at(-1)
  expect(told).toMatchObject({ inputTokens: 2000, steps: 2 })
})

test('a command that Codex never completes is closed with the interrupted turn', async () => {
  const decoder = new Decoder()
  const message = await asMessage(chunksIn(decode(find('steer-interrupt', 'sleep 25'), decoder)))
  expect(message?.parts).toMatchObject([
    { type: 'dynamic-tool', state: 'output-error', errorText: 'It was interrupted.' },
  ])
  expect(decoder.close('completed')).toEqual([])
})

test('a message that was cut by steering is closed, and the answer to the other one follows', async () => {
  const message = await asMessage(chunksIn(decode(find('steer-interrupt', 'slow 10 busy'))))
  expect(message?.parts).toMatchObject([
    { type: 'text', text: 'busy-1 ', state: 'done' },
    { type: 'text', text: 'I was steered', state: 'done' },
  ])
})

test('what ends after its turn is told as a notice, for its part cannot be changed any more', () => {
  const decoder = new Decoder()
  const turn = find('background-shell', 'sleep 55')
  const completed = turn.said.findIndex(
    ({ method, params }) => method === 'item/completed' && JSON.stringify(params).includes('sleep 55'),
  )
  const before = { ...turn, said: turn.said.slice(0, completed), status: 'completed' as const }
  expect(chunksIn(decode(before, decoder)).at(-1)).toMatchObject({ output: { isStillRunning: true } })
  const { method, params, at } = turn.said[completed]!
  expect(chunksIn(decoder.take(method, params, at))).toMatchObject([
    { type: 'data-notice', data: { text: expect.stringContaining('sleep 55') } },
  ])
  expect(decoder.take(method, params, at)).toEqual([])
})

test('a changed file is shown as a diff, and so is the whole turn', () => {
  const chunks = chunksIn(decode(find('file-changes', 'write new.txt')))
  const diffs = chunks.filter(({ type }) => type === 'data-diff')
  expect(diffs[0]).toMatchObject({ data: { kind: 'add', path: expect.stringMatching(/new\.txt$/) } })
  expect(diffs.at(-1)).toMatchObject({ id: expect.stringMatching(/^turn-/), data: { scope: 'turn' } })
})

test('output is shown while it comes, and a flood of it is not repeated with every word', () => {
  const decoder = new Decoder()
  const item = { type: 'commandExecution', id: 'c', command: 'yes', status: 'inProgress' }
  decoder.take('item/started', { item }, 0)
  const shown = Array.from({ length: 5_000 }, (_, at) =>
    chunksIn(decoder.take('item/commandExecution/outputDelta', { itemId: 'c', delta: `line ${at}\n` }, 0)),
  ).flat()
  expect(shown.length).toBeGreaterThan(5)
  expect(JSON.stringify(shown).length).toBeLessThan(400_000)
  expect(shown[0]).toMatchObject({ preliminary: true, output: { output: 'line 0\n' } })
  const later = decoder.take('item/commandExecution/outputDelta', { itemId: 'c', delta: 'late\n' }, 1_000)
  expect(chunksIn(later)).toHaveLength(1)
})

test('retries are notices, and a server of tools that does not start is one', () => {
  const [turn] = recordedTurns('errors')
  expect(chunksIn(decode(turn!))).toMatchObject([
    { type: 'data-notice', data: { text: expect.stringContaining('401 Unauthorized'), attempt: 1, max: 1 } },
  ])
  const failed = { name: 'echo', status: 'failed', error: 'no such program' }
  expect(chunksIn(new Decoder().take('mcpServer/startupStatus/updated', failed, 0))).toMatchObject([
    { data: { text: 'MCP server echo could not be started: no such program' } },
  ])
})

test('a plan is told as entries', () => {
  const plan = [
    { step: 'Look', status: 'completed' },
    { step: 'Leap', status: 'inProgress' },
    { step: 'Land', status: 'pending' },
  ]
  expect(chunksIn(new Decoder().take('turn/plan/updated', { plan, explanation: null }, 0))).toEqual([
    {
      type: 'data-plan',
      data: {
        entries: [
          { content: 'Look', status: 'completed', priority: 'medium' },
          { content: 'Leap', status: 'in_progress', priority: 'medium' },
          { content: 'Land', status: 'pending', priority: 'medium' },
        ],
      },
    },
  ])
})

test('what is not as it should be is skipped', () => {
  const decoder = new Decoder()
  const strange: [string, Record<string, unknown>][] = [
    ['item/started', { item: null }],
    ['item/started', { item: { type: 'commandExecution' } }],
    ['item/completed', { item: 5 }],
    ['item/agentMessage/delta', { itemId: 7, delta: {} }],
    ['thread/tokenUsage/updated', { tokenUsage: 'many' }],
    ['turn/plan/updated', { plan: 'none' }],
    ['error', {}],
    ['who/knows', { what: true }],
  ]
  expect(() => strange.flatMap(([method, params]) => decoder.take(method, params, 0))).not.toThrow()
  expect(decoder.close('completed')).toEqual([])
})
