import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { startClock } from './clock.ts'

it('goes off once, when its time is up', async () => {
  const onUp = vi.fn<() => void>()
  startClock(20, onUp)
  await vi.waitFor(() => expect(onUp).toHaveBeenCalledOnce())
})

it('counts no time while it is held, and goes on with what was left', async () => {
  const onUp = vi.fn<() => void>()
  const clock = startClock(60, onUp)
  clock.hold()
  clock.hold()
  await wait(120)
  expect(onUp).not.toHaveBeenCalled()
  const resumed = performance.now()
  clock.goOn()
  clock.goOn()
  await vi.waitFor(() => expect(onUp).toHaveBeenCalledOnce())
  expect(performance.now() - resumed).toBeGreaterThan(20)
})

it('never goes off once it is stopped, held or not', async () => {
  const onUp = vi.fn<() => void>()
  const clock = startClock(10, onUp)
  clock.hold()
  clock.stop()
  clock.goOn()
  await wait(40)
  expect(onUp).not.toHaveBeenCalled()
  clock.stop()
})

it('takes more time than a timer can count', async () => {
  const onUp = vi.fn<() => void>()
  const clock = startClock(2 ** 40, onUp)
  await wait(10)
  expect(onUp).not.toHaveBeenCalled()
  clock.stop()
})
