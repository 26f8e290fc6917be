import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { OfferedTool } from '../port.ts'
import { keepTools } from './kept-tools.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A server whose tools are others each time they are read. */
function restless() {
  let reads = 0
  const kept = keepTools(
    () => {},
    () => {},
  )
  const read = async (): Promise<OfferedTool[]> => {
    reads += 1
    return [{ name: `tool${reads}`, inputSchema: { type: 'object' } }]
  }
  const sayChanged = () => kept.readSoon(read)
  return { kept, sayChanged, reads: () => reads }
}

test('tools that have changed are read again in a moment, once for all who say so', async () => {
  const { kept, sayChanged, reads } = restless()
  for (let time = 0; time < 100; time += 1) sayChanged()
  await vi.advanceTimersByTimeAsync(300)
  expect([reads(), kept.now()[0]?.name]).toEqual([1, 'tool1'])
  kept.close()
})

test('tools that never stop changing are read ever more seldom, and soon again once they have stood still', async () => {
  const { kept, sayChanged, reads } = restless()
  for (let second = 0; second < 600; second += 1) {
    sayChanged()
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(reads()).toBeGreaterThan(10)
  expect(reads()).toBeLessThan(30)
  await vi.advanceTimersByTimeAsync(300_000)
  const before = reads()
  sayChanged()
  await vi.advanceTimersByTimeAsync(300)
  expect(reads()).toBe(before + 1)
  kept.close()
})
