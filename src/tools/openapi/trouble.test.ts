import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { CallFailed } from '../port.ts'
import { fadesMs, openTrouble } from './trouble.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('keeps a source from being down for ever because of one call', () => {
  const changes: string[] = []
  const trouble = openTrouble(() => changes.push(trouble.last().status))
  trouble.failed('GET /a', new CallFailed('source_unavailable', 'nobody there'))
  expect(trouble.last()).toMatchObject({ status: 'unhealthy', error: 'GET /a: nobody there' })
  vi.advanceTimersByTime(fadesMs)
  expect(trouble.last()).toMatchObject({ status: 'healthy', error: 'GET /a: nobody there' })
  trouble.answered('GET /a', { status: 200, statusText: 'OK' })
  expect(trouble.last()).toEqual({ status: 'healthy', error: null, errorAt: null })
  expect(changes).toEqual(['unhealthy', 'healthy', 'healthy'])
})

it('holds arguments that do not fit against nobody', () => {
  const trouble = openTrouble(() => undefined)
  for (const reason of ['bad_arguments', 'cancelled', 'answer_too_large'] as const) {
    trouble.failed('GET /a', new CallFailed(reason, 'no'))
  }
  expect(trouble.last().error).toBeNull()
})
