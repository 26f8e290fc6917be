import { inside } from '#contract/host.ts'
import { ToolRefused } from '#lib/tool-refused.ts'

const longestPath = 4096
const longestName = 255

/** The names on the way from the root to a path; `..` is one of them. Throws ToolRefused. */
export function namesOnTheWay(path: string, rootPaths: readonly string[]): string[] {
  if (path.includes('\0') || !path.isWellFormed())
    throw new ToolRefused('tool_input', 'path: must be well-formed text without NUL characters', {
      field: 'path',
    })
  if (Buffer.byteLength(path) > longestPath)
    throw new ToolRefused('path_too_long', `A path can have ${longestPath} bytes, and this one has more`)
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (names.some((name) => Buffer.byteLength(name) > longestName))
    throw new ToolRefused('path_too_long', `A name in a path can have ${longestName} bytes, and one has more`)
  // What ends like this is a folder, and `.` is a way to say so.
  if (/\/\.?$/.test(path)) names.push('.')
  return path.startsWith('/') ? belowRoot(path, names, rootPaths) : names
}

function belowRoot(path: string, names: string[], rootPaths: readonly string[]): string[] {
  for (const root of [inside.root, ...rootPaths]) {
    const top = root.split('/').filter(Boolean)
    if (top.every((name, index) => names[index] === name)) return names.slice(top.length)
  }
  throw outside(path)
}

export const outside = (path: string): ToolRefused =>
  new ToolRefused('path_outside', `${shown(path)} leads out of the workspace, where the tools do not go`, {
    path: shown(path),
  })

/** Short enough to be told. */
export const shown = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path)
