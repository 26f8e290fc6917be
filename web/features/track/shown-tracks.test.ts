import { expect, test } from 'vitest'
import type { Tracks } from '../../../src/contract/track.ts'
import { callsAfter, inOrder, withAnswer } from './shown-tracks.ts'

const at = (minute: number) => Date.UTC(2026, 0, 1, 12, minute)
const iso = (minute: number) => new Date(at(minute)).toISOString()
const track = (sessionId: string, ...calls: number[]) => ({
  sessionId,
  title: '',
  agentName: '',
  begunAt: iso(0),
  state: 'idle' as const,
  error: null,
  spans: [],
  marks: [],
  calls,
})
const answer = (until: number, ...tracks: Tracks['tracks']): Tracks => ({
  from: iso(until - 30),
  until: iso(until),
  now: iso(until),
  total: tracks.length,
  tracks,
})
const minute = 60_000

test('calls that are known stay as long as they are in sight, and those read again replace them', () => {
  const first = withAnswer(
    undefined,
    answer(30, track('a', minute, 20 * minute, 29.9 * minute)),
    undefined,
    at(30),
  )
  expect(first.tracks[0]?.calls).toEqual([at(1), at(20), at(30) - 6_000])
  const after = callsAfter(first)
  expect(after).toBe(new Date(at(30) - 10_000).toISOString())
  const later = withAnswer(
    first,
    answer(35, track('a', 24.95 * minute, 26 * minute), track('b')),
    after,
    at(35),
  )
  expect(later.tracks.map(({ calls }) => calls)).toEqual([[at(20), at(30) - 3_000, at(31)], []])
})

test('everything is asked for where nothing is known, and never what is out of sight', () => {
  expect(callsAfter(undefined)).toBeUndefined()
  const narrow = { ...withAnswer(undefined, answer(30), undefined, at(30)), from: at(30) - 1_000 }
  expect(callsAfter(narrow)).toBe(new Date(at(30) - 1_000).toISOString())
})

test('knows how far this clock is ahead', () => {
  const first = withAnswer(undefined, answer(30), undefined, at(30) + 1_234)
  expect(first.ahead).toBe(1_234)
  expect(withAnswer(first, answer(31), undefined, at(31) + 1_500).ahead).toBe(1_234)
  expect(withAnswer(first, answer(31), undefined, at(31) + 9_000).ahead).toBe(9_000)
})

test('keeps the order that is shown, with what is new at the end', () => {
  const tracks = ['new', 'c', 'a'].map((id) => track(id))
  expect(inOrder(tracks, ['a', 'b', 'c']).map(({ sessionId }) => sessionId)).toEqual(['a', 'c', 'new'])
})
