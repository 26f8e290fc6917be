import { expect, test } from 'vitest'
import { trackOf } from './track.ts'
import type { AskedOnTrack, TurnOnTrack } from './track.ts'

/** Minutes after the full hour. */
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12) + minute * 60_000)
const window = { from: at(0), until: at(30) }

const turn = (more: Partial<TurnOnTrack>): TurnOnTrack => ({
  id: 'turn',
  status: more.endedAt ? 'succeeded' : 'running',
  createdAt: at(5),
  startedAt: more.createdAt ?? at(5),
  endedAt: null,
  error: null,
  ...more,
})
const asked = (from: number, to: number | null, executionId = 'turn'): AskedOnTrack => ({
  executionId,
  askedAt: at(from),
  answeredAt: to === null ? null : at(to),
})

/** Spans as they are read: `working 5–10`. */
const told = (turns: TurnOnTrack[], questions: AskedOnTrack[] = []) => {
  const { spans, marks, state } = trackOf(turns, questions, window)
  const minute = (time: string | null) => (time === null ? '' : (Date.parse(time) - at(0).getTime()) / 60_000)
  return {
    spans: spans.map(({ state: doing, from, to }) => `${doing} ${minute(from)}–${minute(to)}`),
    marks: marks.map(({ kind, at: time }) => `${kind} ${minute(time)}`),
    state,
  }
}

test('a turn is queued until it starts, and works until it ends', () => {
  expect(told([turn({ startedAt: at(7), endedAt: at(12) })])).toEqual({
    spans: ['queued 5–7', 'working 7–12'],
    marks: [],
    state: 'idle',
  })
})

test('one that goes on has no end, and one that is queued has not started', () => {
  expect(told([turn({})])).toMatchObject({ spans: ['working 5–'], state: 'working' })
  expect(told([turn({ status: 'queued', startedAt: null })])).toMatchObject({
    spans: ['queued 5–'],
    state: 'queued',
  })
})

test('whoever runs without a word of when it started worked all along; whoever never did was queued', () => {
  expect(told([turn({ startedAt: null })]).spans).toEqual(['working 5–'])
  expect(told([turn({ startedAt: null, status: 'cancelled', endedAt: at(9) })]).spans).toEqual(['queued 5–9'])
})

test('waiting for a person goes before working and being queued', () => {
  expect(told([turn({ endedAt: at(20) })], [asked(8, 10), asked(15, 16)])).toEqual({
    spans: ['working 5–8', 'waits 8–10', 'working 10–15', 'waits 15–16', 'working 16–20'],
    marks: ['asked 8', 'asked 15'],
    state: 'idle',
  })
  const queued = turn({ status: 'queued', startedAt: null })
  expect(told([queued], [asked(5, null)])).toMatchObject({ spans: ['waits 5–'], state: 'waits' })
})

test('questions that wait at once are one wait, and one that nobody answered ends with its turn', () => {
  expect(told([turn({})], [asked(8, 12), asked(9, 10), asked(11, 14)]).spans).toEqual([
    'working 5–8',
    'waits 8–14',
    'working 14–',
  ])
  expect(told([turn({ endedAt: at(20) })], [asked(18, 25)]).spans).toEqual(['working 5–18', 'waits 18–20'])
})

test('a question belongs to its own turn', () => {
  const turns = [turn({ id: 'one', endedAt: at(10) }), turn({ id: 'two', createdAt: at(12) })]
  expect(told(turns, [asked(13, null, 'two')]).spans).toEqual(['working 5–10', 'working 12–13', 'waits 13–'])
})

test('what failed is marked where it did, and is what the session stands at until somebody goes on', () => {
  const failed = turn({ status: 'failed', endedAt: at(10), error: 'Exited with code 3' })
  expect(told([failed])).toEqual({ spans: ['working 5–10'], marks: ['failed 10'], state: 'failed' })
  expect(trackOf([failed], [], window).error).toBe('Exited with code 3')
  expect(told([{ ...failed, status: 'timed_out' }]).state).toBe('failed')
  expect(told([{ ...failed, status: 'cancelled' }])).toMatchObject({ marks: [], state: 'idle' })
  const next = turn({ id: 'next', createdAt: at(20) })
  expect(told([failed, next])).toMatchObject({ marks: ['failed 10'], state: 'working' })
})

test('tells how it was at the end of the window, whatever came after', () => {
  const later = turn({ createdAt: at(10), endedAt: at(45), status: 'failed' })
  expect(told([later])).toEqual({ spans: ['working 10–45'], marks: [], state: 'working' })
  const before = turn({ id: 'before', createdAt: at(-20), endedAt: at(-10) })
  expect(told([before, turn({ createdAt: at(31) })])).toEqual({ spans: [], marks: [], state: 'idle' })
})

test('no clock makes a turn end before it began', () => {
  expect(told([turn({ startedAt: at(4), endedAt: at(3) })])).toEqual({ spans: [], marks: [], state: 'idle' })
  expect(told([turn({ startedAt: at(9), endedAt: at(8) })]).spans).toEqual(['queued 5–8'])
  expect(told([turn({})], [asked(3, 8)]).spans).toEqual(['waits 5–8', 'working 8–'])
})
