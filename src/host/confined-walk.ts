import { closeSync, constants, fstatSync, mkdirSync, openSync, readlinkSync, rmdirSync } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { hasCode } from '#lib/error-code.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { namesOnTheWay, outside, shown } from './confined-path.ts'

// Every name is looked up in a folder that is held open, and never followed by the system: what is renamed or swapped for a
// link meanwhile cannot lead anywhere else. `..` goes back to the folder we came from, whatever has become of it.

/** Linux's own: a handle to what is there, without opening it. A device or a pipe notices nothing. */
export const O_PATH = 0o10000000
const lookFlags = O_PATH | constants.O_NOFOLLOW
const mostLinks = 40
const mostSteps = 10_000

export const within = (folder: number, name: string): string => `/proc/self/fd/${folder}/${name}`

export interface Walkable {
  handle: number
  /** What the root is called, for absolute paths. */
  paths: readonly string[]
}

/** Where a path leads to. The handles are good until `close`. */
export interface Walked {
  /** From the root, without links; `.` for the root itself. */
  path: string
  folder: number
  name: string
  /** What is there, not opened; undefined where there is nothing. */
  there: { handle: number; stats: BigIntStats } | undefined
  /** Removes the folders that were made on the way, unless something is in them. */
  undo(): void
  close(): void
}

interface Step {
  handle: number
  name: string
  isMade: boolean
}

/** Throws ToolRefused, or what the system says. */
export function walk(root: Walkable, path: string, makesFolders: boolean): Walked {
  const steps: Step[] = []
  const left = namesOnTheWay(path, root.paths).toReversed()
  const made = new Set<string>()
  const folder = (back = 0): number => steps.at(-1 - back)?.handle ?? root.handle
  const route = (...more: string[]): string => [...steps.map(({ name }) => name), ...more].join('/') || '.'
  const leave = (to = 0): void => {
    for (const { handle } of steps.splice(to)) closeSync(handle)
  }
  const undo = (): void => {
    for (const [index, { name, isMade }] of [...steps.entries()].toReversed())
      if (isMade) removeFolder(within(steps[index - 1]?.handle ?? root.handle, name))
  }
  const arrived = (name: string, there: Walked['there']): Walked => ({
    path: route(name),
    folder: folder(),
    name,
    there,
    undo,
    close() {
      if (there) closeSync(there.handle)
      leave()
    },
  })

  let links = 0
  try {
    for (let tries = 0; tries < mostSteps; tries += 1) {
      const name = left.pop()
      if (name === undefined) return arrivedAtFolder()
      if (name === '.') continue
      if (name === '..') {
        if (steps.length === 0) throw outside(path)
        leave(steps.length - 1)
        continue
      }
      const handle = look(folder(), name)
      if (handle === undefined) {
        if (left.length === 0) return arrived(name, undefined)
        if (!makesFolders) throw notFound(path)
        if (makeFolder(within(folder(), name))) made.add(route(name))
        left.push(name)
        continue
      }
      let isKept = false
      try {
        const stats = fstatSync(handle, { bigint: true })
        if (stats.isSymbolicLink()) {
          if (++links > mostLinks)
            throw new ToolRefused(
              'path_too_long',
              `${shown(path)} leads through more than ${mostLinks} links`,
            )
          const target = readLink(within(folder(), name))
          if (target?.startsWith('/')) leave()
          left.push(...(target === undefined ? [name] : namesOnTheWay(target, root.paths).toReversed()))
          continue
        }
        isKept = true
        if (left.length === 0) return arrived(name, { handle, stats })
        isKept = stats.isDirectory()
        if (!isKept)
          throw new ToolRefused('not_a_folder', `${shown(route(name))} is not a folder`, {
            path: shown(route(name)),
          })
        steps.push({ handle, name, isMade: made.has(route(name)) })
      } finally {
        if (!isKept) closeSync(handle)
      }
    }
    throw new ToolRefused('workspace_busy', `${shown(path)} changes faster than it can be walked`)
  } catch (error) {
    undo()
    leave()
    throw error
  }

  /** The path ends with a folder that we are in already. */
  function arrivedAtFolder(): Walked {
    const at = { handle: folder(), stats: fstatSync(folder(), { bigint: true }) }
    return {
      path: route(),
      folder: folder(1),
      name: steps.at(-1)?.name ?? '.',
      there: at,
      undo,
      close: leave,
    }
  }
}

const notFound = (path: string): ToolRefused =>
  new ToolRefused('path_not_found', `There is no ${shown(path)} in the workspace`, { path: shown(path) })

function look(folder: number, name: string): number | undefined {
  try {
    return openSync(within(folder, name), lookFlags)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Undefined when it is a link no more. */
function readLink(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch (error) {
    if (hasCode(error, 'EINVAL') || hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** False when somebody else was faster. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

function removeFolder(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // Somebody uses it by now.
  }
}
