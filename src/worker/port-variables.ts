import type { WorkspaceRow } from '#db/workspaces.ts'

/** So that the servers of two worktrees do not want the same port: each has a range of its own. */
export function portVariables({
  parentId,
  ports,
}: Pick<WorkspaceRow, 'parentId' | 'ports'>): Record<string, string> {
  const [first, last] = [ports[0], ports.at(-1)]
  if (parentId === null || first === undefined) return {}
  return { PORT: String(first), SIGNALBOX_PORT_FIRST: String(first), SIGNALBOX_PORTS: `${first}-${last}` }
}
