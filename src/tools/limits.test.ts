import { afterEach, expect, test, vi } from 'vitest'
import { openDeadline } from './deadline.ts'
import { failureOf } from './fixtures/registry.ts'
import { CallFailed } from './port.ts'
import { openRate } from './rate.ts'
import { mayRetry, retrying } from './retry.ts'
import { openTurns } from './turns.ts'

const never = new AbortController().signal

afterEach(() => void vi.useRealTimers())

test('so many calls are taken in any minute, and it is told how long to wait', () => {
  let now = 1_000_000_000_000
  const rate = openRate('s', 3, () => now)
  const refusal = () => {
    try {
      rate.take()
      return 'taken'
    } catch (error) {
      return error instanceof CallFailed ? [error.reason, error.context?.['retryAfterSec']] : error
    }
  }
  rate.take()
  now += 30_000
  rate.take()
  rate.take()
  expect(refusal()).toEqual(['too_many_calls', 31])
  now += 31_000
  expect(refusal()).toBe('taken')
  expect(refusal()).toEqual(['too_many_calls', 30])
  now += 3_600_000
  for (let time = 0; time < 3; time += 1) expect(refusal()).toBe('taken')
  expect(refusal()).toEqual(['too_many_calls', 61])
})

test('turns are taken in the order in which they were asked for', async () => {
  const turns = openTurns('s', 2)
  const [first, second] = [await turns.take(never), await turns.take(never)]
  const order: string[] = []
  const third = turns.take(never).then((leave) => (order.push('third'), leave))
  const fourth = turns.take(never).then((leave) => (order.push('fourth'), leave))
  first()
  first()
  const leaveThird = await third
  expect(order).toEqual(['third'])
  leaveThird()
  ;(await fourth)()
  second()
  expect(order).toEqual(['third', 'fourth'])
  const [one, two] = [await turns.take(never), await turns.take(never)]
  one()
  two()
})

test('other numbers of turns count from when they are said, and nobody loses a turn', async () => {
  const turns = openTurns('s', 1)
  const taken = [await turns.take(never)]
  let begun = 0
  for (let one = 0; one < 3; one += 1)
    void turns.take(never).then((leave) => {
      begun += 1
      return taken.push(leave)
    })
  turns.allow(3)
  await vi.waitFor(() => expect(begun).toBe(2))
  turns.allow(2)
  taken[0]?.()
  await new Promise(setImmediate)
  expect(begun).toBe(2)
  taken[1]?.()
  await vi.waitFor(() => expect(begun).toBe(3))
})

test('whoever gives up waiting leaves the queue, and takes no turn with them', async () => {
  const turns = openTurns('s', 1)
  const leave = await turns.take(never)
  const giving = new AbortController()
  const waiting = turns.take(giving.signal)
  const next = turns.take(never)
  giving.abort(new Error('gone'))
  expect(await failureOf(waiting)).toMatchObject({ message: 'gone' })
  leave()
  ;(await next)()
  expect(await failureOf(turns.take(giving.signal))).toMatchObject({ message: 'gone' })
})

test('only so many wait', async () => {
  const turns = openTurns('s', 1)
  const leave = await turns.take(never)
  const giving = new AbortController()
  const waiting = Array.from({ length: 1_000 }, () => failureOf(turns.take(giving.signal)))
  expect(await failureOf(turns.take(never))).toMatchObject({ reason: 'too_many_calls', isUnsent: false })
  giving.abort()
  await Promise.all(waiting)
  leave()
})

test('a clock that stands still does not run out', async () => {
  vi.useFakeTimers()
  const deadline = openDeadline(200, () => new Error('late'))
  const answer = Promise.withResolvers<string>()
  vi.advanceTimersByTime(50)
  const asking = deadline.standingStill(() => deadline.hold(answer.promise))
  vi.advanceTimersByTime(3_600_000)
  expect([deadline.signal.aborted, deadline.leftMs()]).toEqual([false, 150])
  answer.resolve('yes')
  expect(await asking).toBe('yes')
  vi.advanceTimersByTime(149)
  expect(deadline.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(await failureOf(deadline.hold(new Promise(() => {})))).toMatchObject({ message: 'late' })
  deadline.close()
  expect(vi.getTimerCount()).toBe(0)
})

test.each([
  ['unsent', new CallFailed('source_unavailable', '', { isUnsent: true }), {}, true],
  ['lost on the way', new CallFailed('source_unavailable', ''), {}, false],
  ['lost on the way, but only read', new CallFailed('source_unavailable', ''), { readOnlyHint: true }, true],
  [
    'lost on the way, but the same twice',
    new CallFailed('source_unavailable', ''),
    { readOnlyHint: false, idempotentHint: true },
    true,
  ],
  ['too many there', new CallFailed('too_many_calls', '', { isUnsent: true }), {}, true],
  ['failed there', new CallFailed('source_failed', ''), { readOnlyHint: true }, false],
  ['cancelled', new CallFailed('cancelled', '', { isUnsent: true }), { readOnlyHint: true }, false],
  ['late', new CallFailed('tool_timed_out', ''), { readOnlyHint: true }, false],
  ['not let in', new CallFailed('source_unauthorized', '', { isUnsent: true }), {}, false],
  ['a bug', new Error('bug'), { readOnlyHint: true }, false],
])('%s: whether it is tried again', (_, failure, annotations, may) => {
  expect(mayRetry(failure, annotations)).toBe(may)
})

test('it is tried so often and no more, and not where there is no time to wait', async () => {
  const failure = new CallFailed('source_unavailable', 'down', { isUnsent: true })
  let tries = 0
  const attempt = async () => {
    tries += 1
    throw failure
  }
  const policy = { maxRetries: 2, initialDelay: 0, maxDelay: 0 }
  const time = { signal: never, leftMs: () => 1_000 }
  expect(await failureOf(retrying(attempt, policy, {}, time))).toBe(failure)
  expect(tries).toBe(3)
  const patient = { maxRetries: 2, initialDelay: 60_000, maxDelay: 60_000 }
  expect(await failureOf(retrying(attempt, patient, {}, time))).toBe(failure)
  expect(tries).toBe(4)
})

test('whoever hangs up while it waits to be tried again is not kept', async () => {
  const hanging = new AbortController()
  let tries = 0
  const attempt = async () => {
    tries += 1
    setImmediate(() => hanging.abort(new Error('gone')))
    throw new CallFailed('source_unavailable', 'down', { isUnsent: true })
  }
  const policy = { maxRetries: 5, initialDelay: 600_000, maxDelay: 600_000 }
  const time = { signal: hanging.signal, leftMs: () => Number.POSITIVE_INFINITY }
  expect(await failureOf(retrying(attempt, policy, {}, time))).toMatchObject({ message: 'gone' })
  expect(tries).toBe(1)
})
