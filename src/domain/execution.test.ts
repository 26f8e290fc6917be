import { describe, expect, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import type { ExecutionStatus } from '#contract/execution.ts'
import { EndReason } from '#contract/keeper.ts'
import { asPrincipal, owner } from './access.ts'
import {
  depthBelowExecution,
  endOf,
  isDangerous,
  needsApproval,
  nextOnCancel,
  priorityOf,
  queueOf,
  titleOf,
} from './execution.ts'
import type { Ended } from './execution.ts'

const ended = (reason: Ended['reason'], rest: Partial<Ended> = {}): Ended => ({
  reason,
  exitCode: null,
  signal: null,
  message: null,
  ...rest,
})

describe('cancelling', () => {
  test('ends what waits, tells what runs, and says no more to what is told already', () => {
    expect(nextOnCancel('queued')).toBe('cancelled')
    expect(nextOnCancel('running')).toBe('cancelling')
    expect(nextOnCancel('cancelling')).toBe('cancelling')
  })

  test.each(['succeeded', 'failed', 'cancelled', 'timed_out'] satisfies ExecutionStatus[])(
    'is too late for what has %s',
    (status) => {
      expect(() => nextOnCancel(status)).toThrow('The execution is over already')
    },
  )
})

describe('the end', () => {
  test.each([
    [ended('exited', { exitCode: 0 }), 'succeeded', null],
    [ended('exited', { exitCode: 3 }), 'failed', 'Exited with code 3'],
    [ended('exited', { signal: 'SIGSEGV' }), 'failed', 'Ended by SIGSEGV'],
    [ended('exited', { exitCode: 0, signal: 'SIGTERM' }), 'failed', 'Ended by SIGTERM'],
    [ended('timed_out', { message: 'Timed out after 2 s' }), 'timed_out', 'Timed out after 2 s'],
    [ended('output_limit', { message: 'Wrote too much' }), 'failed', 'Wrote too much'],
    [ended('not_started', { message: 'No such file' }), 'failed', 'No such file'],
    [ended('shutdown', { message: 'Worker shutdown' }), 'failed', 'Worker shutdown'],
    [ended('keeper_died'), 'failed', 'Its keeper died'],
    [ended('machine_lost'), 'failed', 'machine lost'],
    [ended('not_killed'), 'failed', 'It could not be ended, not even by SIGKILL'],
    [ended('cancelled'), 'cancelled', 'Cancelled'],
  ] as const)('of what runs: %j', (record, status, error) => {
    expect(endOf('running', record)).toEqual({ status, error })
  })

  test('of what is being cancelled is that it is cancelled, unless nobody has seen it dead', () => {
    for (const reason of EndReason.options) {
      const proven = reason !== 'not_killed' && reason !== 'machine_lost'
      expect([reason, endOf('cancelling', ended(reason, { exitCode: 0 })).status]).toEqual([
        reason,
        proven ? 'cancelled' : 'failed',
      ])
    }
  })

  test('that went wrong always says why', () => {
    for (const reason of EndReason.exclude(['turn_completed']).options)
      expect(endOf('running', ended(reason, { exitCode: 1 })).error).toEqual(expect.any(String))
  })
})

test('executions spawn one another three deep', () => {
  expect(depthBelowExecution(null)).toBe(0)
  expect(depthBelowExecution({ depth: 2 })).toBe(3)
  expect(() => depthBelowExecution({ depth: 3 })).toThrow('3 deep')
})

test('what is dangerous is asked for, unless a person has said yes with it', () => {
  const user = asPrincipal({ id: 'u', name: 'Ada', scopes: ['run'] })
  const agent = { ...user, kind: 'agent' } as unknown as Principal
  for (const level of [0, 1])
    expect([isDangerous(level), needsApproval(user, level, false)]).toEqual([false, false])
  for (const level of [2, 3]) {
    expect(isDangerous(level)).toBe(true)
    for (const person of [user, owner]) {
      expect(needsApproval(person, level, true)).toBe(false)
      expect(needsApproval(person, level, false)).toBe(true)
    }
    expect(needsApproval(agent, level, true)).toBe(true)
  }
})

test('what is urgent on the board is urgent in the queue', () => {
  const priorities = (['low', 'medium', 'high', 'critical'] as const).map((priority) =>
    priorityOf({ priority }),
  )
  expect(priorities).toEqual([0, 1, 2, 3])
  expect(priorityOf(null)).toBe(1)
  expect([queueOf('tool'), queueOf('coding'), queueOf('model')]).toEqual(['tool', 'coding', 'chat'])
})

test('a session is called after its task, what was asked, or who was asked', () => {
  expect(titleOf({ title: 'Fix it' }, 'please', 'git', 'log')).toBe('Fix it')
  expect(titleOf(null, '\n  please do\nthis', 'git', 'log')).toBe('please do')
  expect(titleOf(null, ' \n ', 'git', 'log')).toBe('git · log')
  expect(titleOf(null, undefined, 'git', 'log')).toBe('git · log')
  expect(titleOf(null, 'x'.repeat(300), 'git', 'log')).toHaveLength(200)
  expect(titleOf(null, `${'x'.repeat(199)}🚂`, 'git', 'log')).toBe('x'.repeat(199))
})
