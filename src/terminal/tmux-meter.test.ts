import { expect, it } from 'vitest'
import { openMeter } from './tmux-meter.ts'

const kb = 1024

it('takes for read what was written and not shown', () => {
  let written = 5_000
  const meter = openMeter(1, () => written)
  meter.given(1_000 * kb)
  expect(meter.unread()).toBe(1_000 * kb)
  written += 300 * kb
  expect(meter.unread()).toBe(700 * kb)
  // What is shown to those who look was written too; a little of it may have been before.
  written += 500 * kb
  meter.drawn(500 * kb)
  expect(meter.unread()).toBe((700 - 128) * kb)
  // All of those who look at the same count together.
  const other = openMeter(1, () => written)
  other.given(50 * kb)
  other.drawn(0)
  expect(other.unread()).toBe((700 - 256 + 50) * kb)
  written += 2_000 * kb
  expect(meter.unread()).toBe(0)
  // What was written for other reasons is not for what comes.
  meter.given(10 * kb)
  expect(other.unread()).toBe(10 * kb)
  meter.close()
  other.close()
})

it('knows nothing where the system does not say', () => {
  const meter = openMeter(0)
  meter.given(1_000_000)
  expect(meter.unread()).toBeUndefined()
  meter.close()
})

it('reads what this very process has written', () => {
  const meter = openMeter(process.pid)
  expect(meter.unread()).toBe(0)
  meter.given(4 * kb)
  expect(meter.unread()).toBeGreaterThan(0)
  meter.close()
})
