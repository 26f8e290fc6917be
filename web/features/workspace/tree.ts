import type { Workspace } from '../../../src/contract/workspace.ts'

export interface Branch {
  workspace: Workspace
  worktrees: Workspace[]
}

/** Each with its worktrees below it. A worktree whose repository is not among them stands by itself. */
export function asTree(all: readonly Workspace[]): Branch[] {
  const ids = new Set(all.map(({ id }) => id))
  const below = Map.groupBy(all, ({ parentId }) => (parentId !== null && ids.has(parentId) ? parentId : null))
  return (below.get(null) ?? []).map((workspace) => ({ workspace, worktrees: below.get(workspace.id) ?? [] }))
}
