import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { asSchema, readUIMessageStream, uiMessageChunkSchema } from 'ai'
import type { UIMessageChunk } from 'ai'
import { describe, expect, it, test } from 'vitest'
import type { Chunk } from '#contract/agent-event.ts'
import type { AgentEvent } from '../port.ts'
import { Decoder } from './decode.ts'
import { recordedFrames } from './fixtures/recording.ts'
import type { Frame } from './frame.ts'

const recordings = readdirSync(join(import.meta.dirname, 'fixtures'))
  .filter((file) => file.endsWith('.ndjson'))
  .map((file) => file.replace('.ndjson', ''))

function decode(frames: Frame[]): AgentEvent[] {
  const decoder = new Decoder()
  return [...frames.flatMap((frame) => decoder.decode(frame)), ...decoder.closeAll('It ended')]
}

const chunksIn = (events: AgentEvent[]): Chunk[] =>
  events.flatMap((event) => (event.type === 'chunk' ? [event.chunk] : []))
const chunksOf = (name: string): Chunk[] => chunksIn(decode(recordedFrames(name)))
const ofType = (chunks: Chunk[], ...types: string[]) => chunks.filter(({ type }) => types.includes(type))
const dataOf = (chunks: Chunk[], type: string): unknown[] =>
  ofType(chunks, type).map((chunk) => chunk['data'])

/** As a chat client puts it together. */
async function messageOf(chunks: Chunk[]) {
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk as UIMessageChunk)
      controller.close()
    },
  })
  const onError = (error: unknown) => {
    throw error
  }
  let last
  for await (const message of readUIMessageStream({ stream, onError })) last = message
  return last
}

describe.each(recordings)('%s', (name) => {
  const chunks = chunksOf(name)

  it('becomes chunks that chat clients can read', async () => {
    const { validate } = asSchema(uiMessageChunkSchema)
    for (const chunk of chunks) expect(await validate?.(chunk)).toMatchObject({ success: true })
    await messageOf(chunks)
  })

  it('closes once whatever it opens', () => {
    for (const kind of ['text', 'reasoning']) {
      const ids = (type: string) => ofType(chunks, `${kind}-${type}`).map((chunk) => chunk['id'])
      expect(ids('end').toSorted()).toEqual(ids('start').toSorted())
      expect(new Set(ids('start')).size).toBe(ids('start').length)
    }
    const calls = (...types: string[]) =>
      new Set(ofType(chunks, ...types).map((chunk) => chunk['toolCallId']))
    const ends = ['tool-output-available', 'tool-output-error', 'tool-output-denied', 'tool-input-error']
    expect(calls(...ends)).toEqual(calls('tool-input-start', 'tool-input-available'))
    expect(ofType(chunks, ...ends)).toHaveLength(calls(...ends).size)
    expect(ofType(chunks, 'finish-step')).toHaveLength(ofType(chunks, 'start-step').length)
  })
})

test('what was streamed is not told again when it comes as a whole', async () => {
  const message = await messageOf(chunksOf('two-turns'))
  expect(message?.parts.filter(({ type }) => type !== 'step-start')).toMatchObject([
    { type: 'text', text: 'I will call a tool.', state: 'done' },
    {
      type: 'dynamic-tool',
      toolName: 'Bash',
      state: 'output-available',
      input: { command: 'echo hi > out.txt' },
      output: '(Bash completed with no output)',
    },
    { type: 'text', text: 'All done.' },
    { type: 'reasoning', text: 'hmm let me see' },
    { type: 'text', text: 'text second answer' },
  ])
})

test('without streaming, every block is told from the one frame that it has', async () => {
  const frames = recordedFrames('two-turns').filter(({ type }) => type !== 'stream_event')
  const message = await messageOf(chunksIn(decode(frames)))
  expect(message?.parts.map(({ type }) => type)).toEqual([
    'text',
    'dynamic-tool',
    'text',
    'reasoning',
    'text',
  ])
})

test('a text of which the stream lost the end is told to its end', () => {
  const frames = recordedFrames('two-turns')
  const lost = frames.findIndex((frame) => JSON.stringify(frame).includes('"text":"done."'))
  const texts = ofType(chunksIn(decode(frames.toSpliced(lost, 1))), 'text-delta').map(({ delta }) => delta)
  expect(texts.join('|')).toContain('All |done.')
})

test('init comes with every turn, and tells of the session only what is new', () => {
  const facts = decode(recordedFrames('permissions')).flatMap((event) =>
    event.type === 'session' ? [event.facts] : [],
  )
  expect(facts).toEqual([
    {
      sessionRef: '0bc76fc5-33a1-4374-a4f0-62027c38f47e',
      model: 'claude-opus-5-5',
      mode: 'default',
      agentVersion: '2.1.325',
    },
    { mode: 'acceptEdits' },
    { model: 'claude-sonnet-5-5' },
  ])
})

test('what a person or a rule did not allow is denied, what an interrupt cut off failed', () => {
  const ends = (name: string) =>
    ofType(chunksOf(name), 'tool-output-denied', 'tool-output-error').map(({ type }) => type)
  expect(ends('permission-denied')).toEqual(['tool-output-denied'])
  expect(ends('interrupts')).toEqual(['tool-output-error', 'tool-output-error'])
  expect(dataOf(chunksOf('permission-denied'), 'data-notice')).toMatchObject([
    {
      text: expect.stringContaining(
        "Bash was not allowed: Permission to use Bash has been denied because Claude Code is running in don't ask mode",
      ),
    },
  ])
})

test('every attempt is told, also those of a refused key', () => {
  const notices = dataOf(chunksOf('retries-of-401'), 'data-notice')
  expect(notices).toHaveLength(7)
  expect(notices[0]).toEqual({
    text: "The model's API answered 401 (authentication_failed): trying again, 1 of 10",
    attempt: 1,
    max: 10,
  })
})

test('an error of the API is not told as if the model had said it', () => {
  expect(chunksOf('error-400')).toEqual([])
  expect(ofType(chunksOf('error-500'), 'text-delta')).toEqual([])
})

test('what a sub-agent does carries the call that it works for, and is no text of the agent', () => {
  const call = 'toolu_main'
  const frame = (content: object) =>
    ({
      type: 'assistant',
      uuid: 'u',
      parent_tool_use_id: call,
      message: { id: 'sub', content: [content] },
    }) as Frame
  const chunks = chunksIn(
    decode([
      frame({ type: 'text', text: 'I look.' }),
      frame({ type: 'tool_use', id: 'toolu_sub', name: 'Read', input: {} }),
      {
        type: 'user',
        parent_tool_use_id: call,
        message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_sub', content: 'found' }] },
      },
    ]),
  )
  expect(chunks).toMatchObject([
    { type: 'data-subagent', data: { parentToolCallId: call, text: 'I look.' } },
    { type: 'tool-input-available', toolMetadata: { parentToolCallId: call } },
    { type: 'tool-output-available', output: 'found', toolMetadata: { parentToolCallId: call } },
  ])
  const texts = ofType(chunksOf('sub-agent'), 'text-delta').map(({ delta }) => delta)
  expect(texts.join('')).toBe('I will call a tool.main done')
})

test('files that were changed come as diffs, also those that a shell command changed', () => {
  expect(dataOf(chunksOf('edits'), 'data-diff')).toMatchObject([
    {
      path: '/workspace/edit/a.txt',
      kind: 'update',
      diff: '--- /workspace/edit/a.txt\n+++ /workspace/edit/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n',
    },
    { kind: 'update', diff: expect.stringContaining('-TWO\n-three\n+x\n') },
  ])
  expect(dataOf(chunksOf('permissions'), 'data-diff')).toMatchObject([
    { kind: 'add', diff: '--- /dev/null\n+++ /workspace/c3/w.txt\n@@ -0,0 +1,1 @@\n+hello\n' },
  ])
  expect(dataOf(chunksOf('shell-edit'), 'data-diff')).toMatchObject([
    { path: '/workspace/c5/b.txt', kind: 'add' },
  ])
})

test('a list of things to do is a plan', () => {
  expect(dataOf(chunksOf('edits'), 'data-plan')).toEqual([{ entries: [{ content: 'a', status: 'pending' }] }])
})

test('a frame that lacks what it should have does no harm to those after it', () => {
  const decoder = new Decoder()
  expect(() => decoder.decode({ type: 'assistant' })).toThrow(TypeError)
  expect(decoder.decode({ type: 'of-tomorrow' })).toEqual([])
  expect(recordedFrames('two-turns').flatMap((frame) => decoder.decode(frame)).length).toBeGreaterThan(20)
})
