import { expect, test } from 'vitest'
import { drawTrack } from './draw-track.ts'
import type { ShownTrack } from './shown-tracks.ts'

const anchor = Date.UTC(2026, 0, 1, 12)
const iso = (second: number) => new Date(anchor + second * 1000).toISOString()
const scale = { anchor, msPerPixel: 1000 }
const drawn = (more: Partial<ShownTrack>) =>
  drawTrack(
    {
      sessionId: '',
      title: '',
      agentName: '',
      begunAt: iso(-600),
      state: 'idle',
      error: null,
      spans: [],
      marks: [],
      calls: [],
      ...more,
    },
    scale,
  )
const span = (state: 'queued' | 'working' | 'waits', from: number, to: number | null) => ({
  executionId: '',
  state,
  from: iso(from),
  to: to === null ? null : iso(to),
})

test('draws every stretch in its own colour, and what lasts beyond now', () => {
  const { lines, idle } = drawn({
    spans: [span('queued', -90, -80), span('working', -80, -20), span('waits', -20, null)],
  })
  expect(lines).toEqual({ queued: 'M-90 0H-80', working: 'M-80 0H-20', waits: 'M-20 0H86400' })
  expect(idle).toBe('M-600 0H86400')
})

test('what took no time is still to be seen', () => {
  expect(drawn({ spans: [span('working', -10, -10)] }).lines.working).toBe('M-10 0H-9.5')
})

test('a tick for each call, a diamond for what was asked, a square where it failed', () => {
  const { calls, asked, failed } = drawn({
    calls: [anchor - 5_000, anchor - 2_500],
    marks: [
      { executionId: '', kind: 'asked', at: iso(-4) },
      { executionId: '', kind: 'failed', at: iso(-1) },
    ],
  })
  expect(calls).toBe('M-5 -5V5M-2.5 -5V5')
  expect(asked).toMatch(/^M-4 0m0 -5.5.*z$/)
  expect(failed).toMatch(/^M-1 0m-4.5 -4.5h9.*z$/)
})
