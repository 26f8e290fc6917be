import { expect, test } from 'vitest'
import { checkDependency } from './dependency.ts'
import type { Problem } from './problem.ts'

const edges = (...pairs: string[]) =>
  pairs.map((pair) => ({ taskId: pair.charAt(0), dependsOnTaskId: pair.charAt(1) }))

test('a circle is refused and shown, the shortest way round', () => {
  const refused = (() => {
    try {
      checkDependency({ taskId: 'a', dependsOnTaskId: 'b' }, edges('bc', 'cd', 'da', 'bd'))
    } catch (error) {
      return error as Problem
    }
    return undefined
  })()
  expect(refused?.code).toBe('dependency_cycle')
  expect(refused?.context).toEqual({ cycle: ['a', 'b', 'd', 'a'] })
})

test('a task cannot wait for itself', () => {
  expect(() => checkDependency({ taskId: 'a', dependsOnTaskId: 'a' }, [])).toThrow('circle')
})

test('a diamond is no circle', () => {
  expect(() => checkDependency({ taskId: 'a', dependsOnTaskId: 'b' }, edges('bd', 'bc', 'cd'))).not.toThrow()
})

test('a dense graph is walked once, not along every path', () => {
  const layers = 40
  const dense = Array.from({ length: layers }, (_, layer) =>
    ['x', 'y'].flatMap((from) =>
      ['x', 'y'].map((to) => ({ taskId: from + layer, dependsOnTaskId: to + (layer + 1) })),
    ),
  ).flat()
  expect(() => checkDependency({ taskId: 'a', dependsOnTaskId: 'x0' }, dense)).not.toThrow()
})
