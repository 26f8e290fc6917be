import { posix } from 'node:path'

/** What the root of a workspace is called inside. */
const workspaceRoot = '/workspace'

/** A path in one spelling: in a workspace from its root, on the machine from `/`. Undefined when it leads out, or is none. */
export function pathOf(text: string, isInWorkspace: boolean): string | undefined {
  if (text === '' || text.includes('\0') || !text.isWellFormed()) return undefined
  const path = posix.normalize(text).replace(/(?<=.)\/$/, '')
  if (!isInWorkspace) return path.startsWith('/') ? path.replace(/^\/\//, '/') : undefined
  if (path === workspaceRoot) return '.'
  const inside = path.startsWith(`${workspaceRoot}/`) ? path.slice(workspaceRoot.length + 1) : path
  return inside.startsWith('/') || inside === '..' || inside.startsWith('../') ? undefined : inside
}

/** Both in that one spelling. */
export const isBelow = (path: string, folder: string): boolean =>
  folder === '.' || folder === '/' || path === folder || path.startsWith(`${folder}/`)

export const extensionOf = (text: string): string => `.${text.replace(/^\*?\.?/, '').toLowerCase()}`

export const hasExtension = (path: string, extensions: readonly string[]): boolean =>
  extensions.length === 0 ||
  extensions.some((extension) => posix.basename(path).toLowerCase().endsWith(extension))
