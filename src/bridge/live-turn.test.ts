import { expect, test } from 'vitest'
import { LiveTurn } from './live-turn.ts'

const delta = (text: string) => ({ type: 'text-delta', id: 't', delta: text })

async function read(bytes: ReadableStream<Uint8Array>) {
  const text = await new Response(bytes).text()
  const frames = text.split('\n\n').filter((frame) => frame.startsWith('data: {'))
  const chunks = frames.map((frame) => JSON.parse(frame.slice(6)) as { type: string; delta?: string })
  return {
    types: chunks.map(({ type }) => type),
    text: chunks.map((chunk) => chunk.delta ?? '').join(''),
    isComplete: text.endsWith('data: [DONE]\n\n'),
  }
}

const asked = (approvalId: string) => ({
  approvalId,
  toolCallId: null,
  tool: 'Bash',
  title: 'ls',
  input: {},
  descriptor: {},
})

test('every reader gets the whole turn, whenever it comes', async () => {
  const turn = new LiveTurn()
  const early = read(turn.read())
  for (const text of ['a', 'b', 'c']) turn.take(delta(text))
  const late = read(turn.read())
  turn.take(delta('d'))
  turn.end({ finishReason: 'stop' })
  const after = read(turn.read())
  for (const reading of [early, late, after])
    expect(await reading).toMatchObject({ text: 'abcd', isComplete: true })
  expect((await early).types.filter((type) => type === 'text-delta')).toHaveLength(4)
  expect((await after).types).toEqual(['start', 'text-start', 'text-delta', 'text-end', 'finish'])
})

test('the stream ends with a question, and whoever answers reads on from there, once', async () => {
  const turn = new LiveTurn()
  const first = read(turn.read())
  turn.take(delta('a'))
  turn.ask(asked('one'))
  expect(await first).toMatchObject({ text: 'a', isComplete: true })
  turn.take(delta('b'))
  turn.ask(asked('two'))
  turn.settle('one', true)
  const second = await read(turn.readOn())
  expect(second.text).toBe('b')
  expect(second.types.filter((type) => type === 'tool-approval-request')).toHaveLength(1)
  turn.settle('two', false)
  const third = read(turn.readOn())
  turn.take(delta('c'))
  turn.end({ errorText: 'It failed' })
  expect(await third).toMatchObject({ text: 'c', isComplete: true })
  expect((await third).types.at(-1)).toBe('error')
  expect(await read(turn.read())).toMatchObject({ text: 'abc' })
})

test('a reader that hangs up is forgotten, and one that is too slow is cut off; the turn goes on', async () => {
  const turn = new LiveTurn()
  await turn.read().cancel()
  const slow = turn.read()
  for (let round = 0; round < 20; round += 1) turn.take(delta('x'.repeat(1024 * 1024)))
  await expect(new Response(slow).text()).rejects.toThrow('Too slow')
  turn.end({})
  expect((await read(turn.read())).text).toHaveLength(20 * 1024 * 1024)
})
