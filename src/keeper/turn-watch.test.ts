import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TurnAsked } from '#contract/keeper.ts'
import { TurnWatch } from './turn-watch.ts'

const asked = (more: Partial<TurnAsked> = {}): TurnAsked => ({
  prompt: { text: 'hello', files: [] },
  sessionRef: null,
  isContinued: false,
  fork: false,
  model: null,
  mode: null,
  mcpServers: [],
  limits: { steps: null, costUsd: null, tokens: null },
  stallMs: 1_000,
  idleMs: 1_000,
  framesFile: null,
  ...more,
})

let watch: TurnWatch
const nothing = () => vi.fn<() => void>()
const clock = { hold: nothing(), goOn: nothing(), stop: nothing() }
const told = {
  onStall: vi.fn<(silentMs: number | false) => void>(),
  onSpent: vi.fn<(why: string) => void>(),
}
const open = (more?: Partial<TurnAsked>) => (watch = new TurnWatch(asked(more), clock, told))

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  watch.end()
  vi.useRealTimers()
  vi.clearAllMocks()
})

describe('a silence', () => {
  it('is told once, and that it is over', () => {
    open()
    vi.advanceTimersByTime(5_000)
    expect(told.onStall).toHaveBeenCalledExactlyOnceWith(expect.any(Number))
    watch.heard()
    watch.heard()
    expect(told.onStall).toHaveBeenCalledTimes(2)
    expect(told.onStall).toHaveBeenLastCalledWith(false)
  })

  it('is none as long as something is said', () => {
    open()
    for (let n = 0; n < 20; n++) {
      vi.advanceTimersByTime(500)
      watch.heard()
    }
    expect(told.onStall).not.toHaveBeenCalled()
  })

  it('is none while a person is asked, and begins anew with the answer', () => {
    open()
    watch.ask('a')
    vi.advanceTimersByTime(10_000)
    expect(told.onStall).not.toHaveBeenCalled()
    watch.settle('a')
    vi.advanceTimersByTime(900)
    expect(told.onStall).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1_000)
    expect(told.onStall).toHaveBeenCalledOnce()
  })
})

it('holds the clock until the last question is settled', () => {
  open()
  watch.ask('a')
  watch.ask('b')
  expect(clock.hold).toHaveBeenCalled()
  watch.settle('a')
  expect(clock.goOn).not.toHaveBeenCalled()
  watch.settle('b')
  expect(clock.goOn).toHaveBeenCalledOnce()
})

describe('what may be spent', () => {
  const usage = { inputTokens: 90, outputTokens: 10, steps: 3, costUsd: 0.5 }

  it.each([
    ['dollars', { steps: null, costUsd: 0.49, tokens: null }, 'The budget in dollars is spent'],
    ['tokens', { steps: null, costUsd: null, tokens: 99 }, 'The budget in tokens is spent'],
    ['steps', { steps: 2, costUsd: null, tokens: null }, 'The limit of 2 steps is reached'],
  ])('is told once when it is over: %s', (_, limits, why) => {
    open({ limits })
    watch.spend(usage)
    watch.spend(usage)
    expect(told.onSpent).toHaveBeenCalledExactlyOnceWith(why)
  })

  it('may be spent to the last', () => {
    open({ limits: { steps: 3, costUsd: 0.5, tokens: 100 } })
    watch.spend(usage)
    watch.spend({ ...usage, costUsd: null })
    expect(told.onSpent).not.toHaveBeenCalled()
  })
})
