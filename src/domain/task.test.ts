import { expect, test } from 'vitest'
import type { Task, TaskStatus } from '#contract/task.ts'
import { TaskStatus as statuses } from '#contract/task.ts'
import { asCard, changedFields, checkMove, depthBelow } from './task.ts'

const allowed = new Set([
  'todo→in_progress',
  'todo→cancelled',
  'todo→blocked',
  'in_progress→done',
  'in_progress→blocked',
  'in_progress→cancelled',
  'in_progress→todo',
  'blocked→todo',
  'blocked→in_progress',
  'blocked→cancelled',
  'done→todo',
  'cancelled→todo',
])

test('a task moves exactly along the lines of the contract', () => {
  const open = (from: TaskStatus, to: TaskStatus) => {
    try {
      checkMove(from, to)
      return true
    } catch {
      return false
    }
  }
  for (const from of statuses.options)
    for (const to of statuses.options)
      expect([from, to, open(from, to)]).toEqual([from, to, from === to || allowed.has(`${from}→${to}`)])
})

test('a forbidden move names the allowed ones', () => {
  expect(() => checkMove('done', 'blocked')).toThrow('cannot become blocked; it can become todo')
})

test('subtasks nest three deep, counting what they carry along', () => {
  const parent = (depth: number) => ({ id: 'a', depth })
  expect(depthBelow(null)).toBe(0)
  expect(depthBelow(parent(2))).toBe(3)
  expect(() => depthBelow(parent(3))).toThrow('nested 3 deep')
  expect(() => depthBelow(parent(1), 2)).toThrow('nested 3 deep')
})

test('an edit that changes nothing changes no field', () => {
  const task = { title: 'a', priority: 'low', parentTaskId: null } as Task
  expect(changedFields(task, { title: 'a', priority: 'high', parentTaskId: null })).toEqual(['priority'])
})

test('a card carries the description only when told to', () => {
  const task = { title: 'a', description: 'long' } as Task
  expect(asCard(task)).toEqual({ title: 'a' })
  expect(asCard(task, true)).toEqual(task)
})
