/** Where a value stands in a tree: keys of maps, indexes of lists. */
export type Path = readonly (string | number)[]

type Branch = Record<string | number, unknown>

const isBranch = (value: unknown): value is Branch => typeof value === 'object' && value !== null

export function valueAt(tree: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) => (isBranch(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    tree,
  )
}

/** Sets a value deep in a tree, making the maps on the way. */
export function putAt(tree: object, path: Path, value: unknown): void {
  const key = path.at(-1)
  let at: unknown = tree
  for (const step of path.slice(0, -1)) {
    if (!isBranch(at)) return
    at[step] ??= {}
    at = at[step]
  }
  if (isBranch(at) && key !== undefined) at[key] = value
}

/** Takes a value out of a tree; from a list too. False when there was nothing to take. */
export function dropAt(tree: unknown, path: Path): boolean {
  const parent = valueAt(tree, path.slice(0, -1))
  const key = path.at(-1)
  if (key === undefined || !isBranch(parent) || !Object.hasOwn(parent, key)) return false
  return delete parent[key]
}

/** The dotted paths of everything that is not a map. */
export function leavesOf(tree: unknown): string[] {
  if (!isBranch(tree) || Array.isArray(tree)) return []
  return Object.entries(tree).flatMap(([key, value]) =>
    isBranch(value) && !Array.isArray(value) ? leavesOf(value).map((path) => `${key}.${path}`) : [key],
  )
}
