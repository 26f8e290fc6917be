import { expect, test } from 'vitest'
import type { Workspace } from '../../../src/contract/workspace.ts'
import { asTree } from './tree.ts'

test('worktrees stand below their repository, and by themselves where that is gone', () => {
  const one = (id: string, parentId: string | null = null) => ({ id, parentId }) as Workspace
  const tree = asTree([one('d', 'gone'), one('c', 'a'), one('b', 'a'), one('e'), one('a')])
  expect(tree.map(({ workspace, worktrees }) => [workspace.id, ...worktrees.map(({ id }) => id)])).toEqual([
    ['d'],
    ['e'],
    ['a', 'c', 'b'],
  ])
})
