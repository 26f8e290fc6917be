import { Problem } from './problem.ts'

export interface Dependency {
  taskId: string
  dependsOnTaskId: string
}

/** Throws when the new dependency would close a circle. `reachable` is everything `wanted.dependsOnTaskId` leads to. */
export function checkDependency(wanted: Dependency, reachable: readonly Dependency[]): void {
  const chain = shortestChain(wanted.dependsOnTaskId, wanted.taskId, reachable)
  if (chain)
    throw new Problem(
      'dependency_cycle',
      'That would make a circle: the task you want to wait for already waits for this one',
      { cycle: [wanted.taskId, ...chain] },
    )
}

function shortestChain(from: string, to: string, edges: readonly Dependency[]): string[] | undefined {
  const next = Map.groupBy(edges, (edge) => edge.taskId)
  const cameFrom = new Map<string, string | null>([[from, null]])
  for (const id of cameFrom.keys()) {
    if (id === to) return walkBack(cameFrom, to)
    for (const { dependsOnTaskId } of next.get(id) ?? [])
      if (!cameFrom.has(dependsOnTaskId)) cameFrom.set(dependsOnTaskId, id)
  }
  return undefined
}

function walkBack(cameFrom: Map<string, string | null>, to: string): string[] {
  const chain: string[] = []
  for (let id: string | null | undefined = to; id; id = cameFrom.get(id)) chain.unshift(id)
  return chain
}
