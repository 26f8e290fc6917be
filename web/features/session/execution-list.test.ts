import { expect, it } from 'vitest'
import type { Execution, ExecutionStatus } from '../../../src/contract/execution.ts'
import { executionIn, withPage, withTold } from './execution-list.ts'
import type { Executions } from './execution-list.ts'

const execution = (id: string, status: ExecutionStatus, more: Partial<Execution> = {}) =>
  ({ id, status, sessionId: 's', taskId: null, ...more }) as Execution
const shown = ({ rows, total }: Executions) => [rows.map(({ id, status }) => `${id} ${status}`), total]
const list = (...rows: Execution[]): Executions => ({ rows, total: rows.length })

it('takes in what is new, newest first, and what went on', () => {
  const start = list(execution('3', 'running'), execution('1', 'failed'))
  const told = [execution('2', 'queued'), execution('3', 'succeeded'), execution('4', 'queued')]
  expect(shown(withTold(start, told, {}))).toEqual([['4 queued', '3 succeeded', '2 queued', '1 failed'], 4])
})

it('lets no older tale undo a newer one', () => {
  const ended = list(execution('1', 'succeeded'))
  expect(withTold(ended, [execution('1', 'running')], {})).toBe(ended)
  expect(shown(withPage(ended, [execution('1', 'running')], 1))).toEqual([['1 succeeded'], 1])
})

it('keeps to what the list is of', () => {
  const start = list(execution('1', 'queued', { taskId: 't' }))
  const other = execution('2', 'queued', { sessionId: 'other' })
  expect(withTold(start, [other], { taskId: 't' })).toBe(start)
  expect(withTold(start, [other], { sessionId: 's' })).toBe(start)
})

it('leaves no hole before what has not been read yet', () => {
  const start: Executions = { rows: [execution('9', 'failed'), execution('8', 'failed')], total: 5 }
  expect(withTold(start, [execution('3', 'cancelled')], {})).toBe(start)
  expect(shown(withPage(start, [execution('8', 'failed'), execution('7', 'failed')], 5))).toEqual([
    ['9 failed', '8 failed', '7 failed'],
    5,
  ])
})

it('is not disturbed by what it does not know', () => {
  const tell = (type: string, payload: unknown) =>
    executionIn({ seq: 1, executionId: null, at: '', type, payload })
  expect(tell('task.created', { execution: execution('1', 'running') })).toEqual([])
  expect(tell('execution.dreamt', null)).toEqual([])
  expect(tell('execution.dreamt', { execution: { id: '1', status: 'dreaming' } })).toEqual([])
  expect(tell('execution.started', { execution: execution('1', 'running') })).toHaveLength(1)
})
