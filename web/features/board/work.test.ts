import { expect, test } from 'vitest'
import type { ExecutionOnBoard } from '../../../src/contract/execution.ts'
import { workAfter } from './work.ts'

const told = (id: string, more: Partial<ExecutionOnBoard> = {}) =>
  ({
    id,
    sessionId: 's',
    agentId: 'a',
    agentName: 'Ada',
    status: 'running',
    changes: null,
    ...more,
  }) as ExecutionOnBoard
const changes = { files: 1, additions: 2, deletions: 3 }

test('counts each turn once, however often it is told of', () => {
  const first = workAfter(null, told('1', { status: 'queued' }))
  expect(first).toMatchObject({ turns: 1, status: 'queued' })
  const again = workAfter(first, told('1'))
  expect(again).toMatchObject({ turns: 1, status: 'running' })
  expect(workAfter(again, told('2'))).toMatchObject({ turns: 2, executionId: '2' })
})

test('keeps what was measured last until it is measured anew', () => {
  const measured = workAfter(workAfter(null, told('1')), told('1', { status: 'succeeded', changes }))
  expect(measured).toMatchObject({ changes })
  const next = workAfter(measured, told('2'))
  expect(next).toMatchObject({ turns: 2, status: 'running', changes })
  expect(workAfter(next, told('2', { changes: { ...changes, files: 9 } }))).toMatchObject({
    changes: { files: 9 },
  })
})

test('is not changed by what is told late of an earlier turn, but for a size that nobody knew', () => {
  const now = workAfter(null, told('2', { status: 'succeeded' }))
  expect(workAfter(now, told('1', { status: 'failed' }))).toBe(now)
  expect(workAfter(now, told('1', { changes }))).toMatchObject({
    executionId: '2',
    status: 'succeeded',
    changes,
  })
})
