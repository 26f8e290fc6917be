import { describe, expect, it } from 'vitest'
import { Transcript } from './transcript.ts'
import type { Row } from './transcript-row.ts'

const at = '2026-01-01T00:00:00.000Z'

function tell(...events: [type: string, payload: unknown, executionId?: string][]): Transcript {
  const transcript = new Transcript()
  for (const [index, [type, payload, executionId = 'one']] of events.entries())
    transcript.take({ seq: index + 1, executionId, type, payload, at })
  return transcript
}
const of = (transcript: Transcript, kind: Row['kind']) => transcript.rows.filter((row) => row.kind === kind)

it('tells what the model is told in the place of what it is not shown any more', () => {
  const { rows } = tell(['data-summary', { text: '**It** went.', messages: 12 }])
  expect(rows).toMatchObject([{ kind: 'summary', text: '**It** went.', messages: 12 }])
})

describe('what an agent says', () => {
  it('is one text as it grows, and another turn may use the same id again', () => {
    const transcript = tell(
      ['text-start', { id: 'text-1' }],
      ['text-delta', { id: 'text-1', delta: 'Hel' }],
      ['text-delta', { id: 'text-1', delta: 'lo' }],
      ['text-end', { id: 'text-1' }],
      ['text-delta', { id: 'text-1', delta: 'Again' }, 'two'],
    )
    expect(transcript.rows).toMatchObject([
      { kind: 'text', text: 'Hello', isOpen: false },
      { kind: 'text', text: 'Again', isOpen: true },
    ])
  })

  it('goes on in another row when it is long, without losing a letter or cutting a line', () => {
    const lines = Array.from({ length: 3000 }, (_, index) => `line ${index}\n`)
    const transcript = tell(...lines.map((delta): [string, unknown] => ['text-delta', { id: 'a', delta }]), [
      'text-delta',
      { id: 'b', delta: '👍'.repeat(5000) },
    ])
    const texts = of(transcript, 'text').map((row) => (row as { text: string }).text)
    expect(texts.join('')).toBe(lines.join('') + '👍'.repeat(5000))
    expect(texts.every((text) => text.length <= 4000 && text.isWellFormed())).toBe(true)
    expect(texts.filter((text) => text.includes('line')).every((text) => text.endsWith('\n'))).toBe(true)
    expect(new Set(transcript.rows.map(({ key }) => key)).size).toBe(transcript.rows.length)
  })

  it('is forgotten from the beginning when it is too much', () => {
    const transcript = new Transcript({ rows: 100, characters: 1_000_000 })
    for (let seq = 1; seq <= 500; seq += 1)
      transcript.take({ seq, executionId: 'one', type: 'data-notice', payload: { text: `${seq}` }, at })
    expect(transcript.rows.length).toBeLessThanOrEqual(105)
    expect(transcript.store.dropped + transcript.rows.length).toBe(500)
    expect(transcript.rows.at(-1)).toMatchObject({ text: '500' })
  })

  it('changes nothing that was forgotten', () => {
    const transcript = new Transcript({ rows: 2, characters: 1_000_000 })
    transcript.take({
      seq: 1,
      executionId: 'one',
      type: 'tool-input-start',
      payload: { toolCallId: 'a' },
      at,
    })
    for (let seq = 2; seq <= 9; seq += 1)
      transcript.take({ seq, executionId: 'one', type: 'data-notice', payload: { text: `${seq}` }, at })
    transcript.take({
      seq: 10,
      executionId: 'one',
      type: 'data-subagent',
      payload: { parentToolCallId: 'a' },
      at,
    })
    expect(transcript.rows.every(({ kind }) => kind === 'notice')).toBe(true)
  })
})

describe('a tool', () => {
  it('is one card from its first letter to its result', () => {
    const transcript = tell(
      ['tool-input-start', { toolCallId: 'a', toolName: 'Edit' }],
      ['tool-input-delta', { toolCallId: 'a', inputTextDelta: '{"pa' }],
      ['tool-input-available', { toolCallId: 'a', toolName: 'Edit', title: 'Edit x', input: { path: 'x' } }],
      ['tool-output-available', { toolCallId: 'a', output: [{ type: 'text', text: 'ok' }] }],
      ['data-diff', { toolCallId: 'a', path: 'x', oldText: 'a\nb\nc\n', newText: 'a\nB\nc\n' }],
    )
    expect(transcript.rows).toMatchObject([
      {
        kind: 'tool',
        name: 'Edit',
        title: 'Edit x',
        input: { path: 'x' },
        inputText: '',
        output: { text: 'ok', cut: 0 },
        state: 'done',
        diffs: [{ path: 'x', text: '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c', added: 1, removed: 1 }],
      },
    ])
  })

  it.each([
    ['tool-output-error', { errorText: 'no' }, 'failed'],
    ['tool-output-denied', {}, 'denied'],
    ['tool-output-available', { output: 'so far', preliminary: true }, 'running'],
  ])('after %s', (type, more, state) => {
    const transcript = tell(
      ['tool-input-available', { toolCallId: 'a', toolName: 'x', input: {} }],
      [type, { toolCallId: 'a', ...more }],
    )
    expect(transcript.rows).toMatchObject([{ state }])
  })

  it('that never told its end is over with its turn', () => {
    const transcript = tell(
      ['tool-input-available', { toolCallId: 'a', toolName: 'x', input: {} }],
      ['data-usage', { inputTokens: 1, outputTokens: 2, costUsd: null }],
      ['data-status', { status: 'failed', error: 'gone' }],
    )
    expect(transcript.rows).toMatchObject([
      { kind: 'tool', state: 'failed' },
      { kind: 'end', status: 'failed', error: 'gone', usage: { inputTokens: 1 } },
    ])
  })

  it('keeps only the beginning of what is very long', () => {
    const transcript = tell(['tool-output-available', { toolCallId: 'a', output: 'x'.repeat(300_000) }])
    expect(transcript.rows).toMatchObject([{ output: { cut: 200_000 } }])
  })
})

describe('a question', () => {
  const asked: [string, unknown][] = [
    ['tool-input-available', { toolCallId: 'a', toolName: 'x', input: {} }],
    ['tool-approval-request', { approvalId: 'q', toolCallId: 'a', kind: 'tool', title: 'x?', options: [] }],
  ]
  it('waits, and so does its tool', () => {
    expect(tell(...asked).rows).toMatchObject([
      { kind: 'tool', state: 'asked' },
      { kind: 'approval', status: 'waiting', asked: { id: 'q', questions: null, schema: null, askedAt: at } },
    ])
  })

  it('that a rule lets pass is no line of its own, but where there is no call to see', () => {
    const answered: [string, unknown] = [
      'tool-approval-response',
      { approvalId: 'q', status: 'granted', by: 'policy' },
    ]
    expect(tell(...asked, answered).rows).toMatchObject([{ kind: 'tool', state: 'running', byRule: true }])
    expect(tell(...asked.slice(1), answered).rows).toMatchObject([{ kind: 'approval', by: 'policy' }])
  })

  it.each([
    ['granted', 'running'],
    ['refused', 'denied'],
    ['expired', 'denied'],
  ])('that is %s', (status, state) => {
    const transcript = tell(...asked, ['tool-approval-response', { approvalId: 'q', status, by: 'owner' }])
    expect(transcript.rows).toMatchObject([{ state }, { status, by: 'owner' }])
  })
})

describe('what a person says', () => {
  it('tells what became of it', () => {
    const transcript = tell(
      ['data-message', { text: 'first', files: [], by: 'owner' }],
      ['data-message', { text: 'then', by: 'owner', commandId: 'c' }],
      ['data-message', { text: 'also', by: 'owner', commandId: 'd' }],
      ['data-delivery', { commandId: 'c', command: 'message', outcome: 'delivered', how: 'queued' }],
      ['data-delivery', { commandId: 'd', command: 'message', outcome: 'refused', reason: 'gone' }],
    )
    expect(transcript.rows).toMatchObject([
      { text: 'first', delivery: undefined },
      { text: 'then', delivery: 'queued' },
      { text: 'also', delivery: { refused: 'gone' } },
    ])
  })
})

it('tells more to read from everything else that it hears', () => {
  const transcript = tell(['text-delta', { id: 'a', delta: 'Hello' }])
  const before = transcript.store.said
  let seq = 1
  const take = (type: string, payload: unknown) =>
    transcript.take({ seq: (seq += 1), executionId: 'one', type, payload, at })
  take('text-end', { id: 'a' })
  take('data-usage', { inputTokens: 1, outputTokens: 2, costUsd: null })
  take('data-status', { status: 'running' })
  expect(transcript.store.said).toBe(before)
  take('text-delta', { id: 'b', delta: 'and' })
  take('text-delta', { id: 'b', delta: ' more' })
  expect(transcript.store.said).toBe(before + 2)
})

it('replaces a plan within its turn', () => {
  const transcript = tell(
    ['data-plan', { entries: [{ content: 'a', status: 'pending' }] }],
    ['data-notice', { text: 'between' }],
    ['data-plan', { entries: [{ content: 'a', status: 'completed' }] }],
    ['data-plan', { entries: [] }, 'two'],
  )
  expect(transcript.rows).toMatchObject([
    { kind: 'plan', entries: [{ status: 'completed' }] },
    { kind: 'notice' },
    { kind: 'plan', entries: [] },
  ])
})

it('survives whatever an agent makes up', () => {
  const odd = [null, 'text', 7, [], { id: 3, delta: {}, files: 'x', entries: [null, 3], toolCallId: [] }]
  const types = [
    'text-delta',
    'tool-input-delta',
    'tool-output-available',
    'data-plan',
    'data-diff',
    'data-message',
  ]
  const more = [
    'data-delivery',
    'data-status',
    'tool-approval-request',
    'tool-approval-response',
    'data-x',
    'x',
  ]
  const events = [...types, ...more].flatMap((type) =>
    odd.map((payload): [string, unknown] => [type, payload]),
  )
  expect(() => tell(...events)).not.toThrow()
})

describe('a branch', () => {
  const turns: [string, unknown, string?][] = [
    ['data-message', { text: 'one', by: 'owner' }],
    ['text-delta', { id: 'a', delta: 'first' }],
    ['data-status', { status: 'succeeded' }],
    ['data-message', { text: 'two', by: 'owner' }, 'two'],
    ['tool-input-available', { toolCallId: 'c', toolName: 'x', input: {} }, 'two'],
    ['data-status', { status: 'succeeded' }, 'two'],
  ]

  it('leaves out what came after its beginning, and nothing that comes after itself', () => {
    const transcript = tell(
      ...turns,
      ['data-branch', { after: 3 }, 'three'],
      ['data-message', { text: 'two again', by: 'owner' }, 'three'],
      ['text-delta', { id: 'a', delta: 'second' }, 'three'],
    )
    expect(transcript.rows.map((row) => ('text' in row ? row.text : row.kind))).toEqual([
      'one',
      'first',
      'end',
      'two again',
      'second',
    ])
  })

  it('lets a text of the same name begin anew, in a row of its own', () => {
    const transcript = tell(
      ...turns,
      ['data-branch', { after: 1 }],
      ['text-delta', { id: 'b', delta: 'new' }],
      ['text-delta', { id: 'a', delta: 'first again' }],
    )
    expect(of(transcript, 'text')).toMatchObject([{ text: 'new' }, { text: 'first again' }])
  })
})

it('shows nothing of a step that was cut off and is asked again, but what was noticed', () => {
  const transcript = tell(
    ['start-step', {}],
    ['text-delta', { id: 'a', delta: 'kept' }],
    ['finish-step', {}],
    ['start-step', {}],
    ['text-delta', { id: 'b', delta: 'I was about' }],
    ['data-notice', { text: 'It is asked again' }],
    ['start-step', {}],
    ['text-delta', { id: 'b', delta: 'whole' }],
    ['finish-step', {}],
  )
  expect(transcript.rows).toMatchObject([{ text: 'kept' }, { kind: 'notice' }, { text: 'whole' }])
})

it('tells which of the calls of a step waits, and that an answer was a failure', () => {
  const transcript = tell(
    ['tool-input-available', { toolCallId: 'a', toolName: 'x', input: {} }],
    ['tool-approval-request', { approvalId: 'q', toolCallId: 'a', kind: 'tool', position: 2, total: 5 }],
    [
      'tool-output-available',
      { toolCallId: 'a', output: { isError: true, content: [{ type: 'text', text: 'no' }] } },
    ],
  )
  expect(transcript.rows[0]).toMatchObject({ queue: '2 of 5', state: 'failed', output: { text: 'no' } })
})
