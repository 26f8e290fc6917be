import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { failureOf } from '#tools/fixtures/registry.ts'
import { openPace } from './pace.ts'
import { openTurns } from './turns.ts'
import { within } from './within.ts'

const never = new AbortController().signal

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** When each of so many got its leave, in milliseconds from now. */
async function leaves(perSecond: number, count: number): Promise<number[]> {
  const pace = openPace(perSecond)
  const begun = performance.now()
  const got: number[] = []
  const all = Array.from({ length: count }, async (_, at) => {
    await pace.take(never)
    got[at] = performance.now() - begun
  })
  await vi.advanceTimersByTimeAsync(60_000)
  await Promise.all(all)
  expect(got).toEqual(got.toSorted((one, other) => one - other))
  return got.map((ms) => Math.round(ms))
}

test('as many as a second has go at once, and the others wait, in their order', async () => {
  expect(await leaves(5, 8)).toEqual([0, 0, 0, 0, 0, 200, 400, 600])
  expect(await leaves(1, 3)).toEqual([0, 1000, 2000])
  expect(await leaves(0.5, 3)).toEqual([0, 2000, 4000])
})

test('a rest is worth one second, and not more', async () => {
  const pace = openPace(2)
  for (let taken = 0; taken < 2; taken += 1) await pace.take(never)
  await vi.advanceTimersByTimeAsync(3_600_000)
  const got: number[] = []
  const begun = performance.now()
  const all = Array.from({ length: 4 }, async () => {
    await pace.take(never)
    got.push(Math.round(performance.now() - begun))
  })
  await vi.advanceTimersByTimeAsync(10_000)
  await Promise.all(all)
  expect(got).toEqual([0, 0, 500, 1000])
})

test('whoever waits hears when the run ends', async () => {
  const pace = openPace(0.1)
  await pace.take(never)
  const run = new AbortController()
  const waiting = failureOf(pace.take(run.signal))
  run.abort(new Error('ended'))
  expect(await waiting).toMatchObject({ message: 'ended' })
  await expect(pace.take(run.signal)).rejects.toThrow('ended')
  expect(vi.getTimerCount()).toBe(0)
})

test('so many are under way at the same time, and the next come in their order', async () => {
  const turns = openTurns(2)
  const begun: number[] = []
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const all = ends.map(({ promise }, at) =>
    turns.inTurn(() => {
      begun.push(at)
      return promise
    }, never),
  )
  await vi.advanceTimersByTimeAsync(1)
  expect(begun).toEqual([0, 1])
  ends[1]?.reject(new Error('failed'))
  await expect(all[1]).rejects.toThrow('failed')
  expect(begun).toEqual([0, 1, 2])
  for (const { resolve } of ends) resolve()
  await Promise.allSettled(all)
  expect(begun).toEqual([0, 1, 2, 3, 4])
})

test('whoever gives up takes no turn', async () => {
  const turns = openTurns(1)
  const first = Promise.withResolvers<void>()
  const underway = turns.inTurn(() => first.promise, never)
  const run = new AbortController()
  const second = turns.inTurn(async () => 'second', run.signal)
  const third = turns.inTurn(async () => 'third', never)
  run.abort(new Error('ended'))
  await expect(second).rejects.toThrow('ended')
  first.resolve()
  await underway
  expect(await third).toBe('third')
})

test('what takes too long is given up, whether it listens or not', async () => {
  const heard: unknown[] = []
  const work = (signal: AbortSignal) => {
    signal.addEventListener('abort', () => heard.push(signal.reason))
    return new Promise<never>(() => {})
  }
  const late = new Error('late')
  const waiting = failureOf(within(100, () => late, never, work))
  await vi.advanceTimersByTimeAsync(100)
  expect(await waiting).toBe(late)
  const run = new AbortController()
  const over = new Error('over')
  const cancelled = failureOf(within(100, () => late, run.signal, work))
  run.abort(over)
  expect(await cancelled).toBe(over)
  expect(heard).toEqual([late, over])
  expect(
    await within(
      100,
      () => late,
      never,
      async () => 'done',
    ),
  ).toBe('done')
  expect(vi.getTimerCount()).toBe(0)
})
