import { describe, expect, it } from 'vitest'
import type { StreamEvent } from '../../../src/contract/event.ts'
import { KeptEvents } from './kept-events.ts'
import { Transcript } from './transcript.ts'

const at = '2026-01-01T00:00:00.000Z'
const event = (seq: number, type: string, payload: object, executionId = 'one'): StreamEvent => ({
  seq,
  type,
  payload,
  executionId,
  at,
})

/** Everything that refers to something said before, in one stream. */
const stream = [
  event(1, 'data-message', { text: 'Hello', commandId: 'c1' }),
  event(2, 'text-delta', { id: 't', delta: 'Look:\n```ts\n' }),
  event(3, 'text-delta', { id: 't', delta: 'const a = 1\n'.repeat(500) }),
  event(4, 'tool-input-start', { toolCallId: 'x', toolName: 'read' }),
  event(5, 'tool-input-delta', { toolCallId: 'x', inputTextDelta: '{"path":' }),
  event(6, 'tool-input-delta', { toolCallId: 'x', inputTextDelta: '"a"}' }),
  event(7, 'tool-approval-request', { approvalId: 'p', toolCallId: 'x', title: 'read a' }),
  event(8, 'data-delivery', { commandId: 'c1', command: 'message', outcome: 'done', how: 'steered' }),
  event(9, 'tool-approval-response', { approvalId: 'p', status: 'granted', by: 'owner' }),
  event(10, 'tool-output-available', { toolCallId: 'x', output: 'A' }),
  event(11, 'text-delta', { id: 't', delta: '```\nDone.' }),
  event(12, 'text-end', { id: 't' }),
  event(13, 'data-status', { status: 'succeeded' }),
]

const told = (events: readonly StreamEvent[]) => {
  const transcript = new Transcript()
  for (const each of events) transcript.take(each)
  return transcript.rows
}

describe('what is kept of a stream', () => {
  it('says the same wherever reading began, once what was before is there', () => {
    const whole = told(stream)
    for (let from = 1; from < stream.length; from += 1) {
      const kept = new KeptEvents()
      for (const each of stream.slice(from)) kept.add(each)
      expect(kept.first).toBe(from + 1)
      for (let end = from; end > 0; end -= 3) kept.addEarlier(stream.slice(Math.max(0, end - 3), end))
      expect([kept.first, kept.last]).toEqual([1, 13])
      expect(told(kept.all)).toEqual(whole)
    }
  })

  it('keeps what is said in one go as one, and calls its rows the same however it arrived', () => {
    const pieces = Array.from({ length: 2000 }, (_, index) =>
      event(index + 1, 'text-delta', { id: 't', delta: `line ${index}\n` }),
    )
    const kept = new KeptEvents()
    for (const piece of pieces) kept.add(piece)
    expect(kept.all).toHaveLength(1)
    expect(told(kept.all)).toEqual(told(pieces))
    expect(told(pieces).length).toBeGreaterThan(3)
  })

  it('takes nothing twice', () => {
    const kept = new KeptEvents()
    const [first, second] = stream as [StreamEvent, StreamEvent]
    expect([kept.add(first), kept.add(first), kept.add(second)]).toEqual([true, false, true])
    kept.addEarlier([first])
    expect(kept.all).toHaveLength(2)
  })

  it('lets the older half go when it is full, and says from where it goes on', () => {
    const kept = new KeptEvents({ events: 100, characters: 1_000_000 })
    for (let seq = 1; seq <= 1000; seq += 1) {
      kept.add(event(seq, 'data-notice', { text: `${seq}` }))
      if (kept.fullness > 1) kept.forget()
    }
    expect(kept.all.length).toBeLessThanOrEqual(100)
    expect(kept.last).toBe(1000)
    expect(kept.all[0]?.seq).toBe(kept.first)
    const heavy = new KeptEvents({ events: 100, characters: 10_000 })
    for (let seq = 1; seq <= 50; seq += 1) {
      heavy.add(event(seq, 'data-notice', { text: 'x'.repeat(1000) }))
      if (heavy.fullness > 1) heavy.forget()
    }
    expect(heavy.all.length).toBeLessThan(12)
  })
})
