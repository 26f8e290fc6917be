import { closeSync, constants, fstatSync, mkdirSync, openSync, readlinkSync } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { hasCode } from '#lib/error-code.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import type { Grants } from './confined-grants.ts'
import { namesOnTheWay, outside, shown } from './confined-path.ts'
import { Way, within } from './confined-way.ts'

// Every name is looked up in a folder that is held open, and never followed by the system: what is renamed or swapped for a
// link meanwhile cannot lead anywhere else.

/** Linux's own: a handle to what is there, without opening it. A device or a pipe notices nothing. */
export const O_PATH = 0o10000000
const mostLinks = 40
const mostSteps = 10_000

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
  /** Folders that were made on the way are removed again when it was for nothing. */
  close(isForNothing: boolean): void
}

export interface WalkRules {
  makesFolders?: boolean
  /** Of the root only these: neither a link nor anything else leads to another place, and none is looked at. */
  within?: Grants | undefined
}

/** Throws ToolRefused, or what the system says. */
export function walk(
  root: Walkable,
  path: string,
  { makesFolders = false, within: grants }: WalkRules = {},
): Walked {
  const way = new Way(root.handle)
  const left = namesOnTheWay(path, root.paths).toReversed()
  const made = new Set<string>()
  let links = 0
  try {
    for (let tries = 0; tries < mostSteps; tries += 1) {
      const name = left.pop()
      if (name === undefined) {
        grants?.checkEnd(way.names(), path)
        return arrivedIn(way)
      }
      if (name === '.') continue
      if (name === '..') {
        if (way.depth === 0) throw outside(path)
        way.back(way.depth - 1)
        continue
      }
      if (left.length === 0) grants?.checkEnd(way.names(name), path)
      else grants?.checkWay(way.names(name), path)
      const there = look(way.folder(), name)
      if (!there) {
        if (left.length === 0) return arrivedAt(way, name, there)
        if (!makesFolders) throw notFound(path)
        if (makeFolder(within(way.folder(), name))) made.add(way.path(name))
        left.push(name)
      } else if (there.stats.isSymbolicLink()) {
        closeSync(there.handle)
        if (++links > mostLinks) throw tooManyLinks(path)
        const target = readLink(within(way.folder(), name))
        if (target?.startsWith('/')) way.back(0)
        left.push(...(target === undefined ? [name] : namesOnTheWay(target, root.paths).toReversed()))
      } else if (left.length === 0) return arrivedAt(way, name, there)
      else if (there.stats.isDirectory())
        way.enter({ handle: there.handle, name, isMade: made.has(way.path(name)) })
      else {
        closeSync(there.handle)
        throw notAFolder(way.path(name))
      }
    }
    throw new ToolRefused('workspace_busy', `${shown(path)} changes faster than it can be walked`)
  } catch (error) {
    way.back(0)
    throw error
  }
}

const arrivedAt = (way: Way, name: string, there: Walked['there']): Walked => ({
  path: way.path(name),
  folder: way.folder(),
  name,
  there,
  close(isForNothing) {
    if (there) closeSync(there.handle)
    way.back(0, { isGivenUp: isForNothing })
  },
})

/** The path ends with a folder that we are in already. */
const arrivedIn = (way: Way): Walked => ({
  path: way.path(),
  folder: way.folder(1),
  name: way.name,
  there: { handle: way.folder(), stats: fstatSync(way.folder(), { bigint: true }) },
  close: (isForNothing) => way.back(0, { isGivenUp: isForNothing }),
})

function look(folder: number, name: string): Walked['there'] {
  try {
    const handle = openSync(within(folder, name), O_PATH | constants.O_NOFOLLOW)
    return { handle, stats: fstatSync(handle, { bigint: true }) }
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

export const notFound = (path: string): ToolRefused =>
  new ToolRefused('path_not_found', `There is no ${shown(path)} in the workspace`, { path: shown(path) })

export const notAFolder = (path: string): ToolRefused =>
  new ToolRefused('not_a_folder', `${shown(path)} is not a folder`, { path: shown(path) })

const tooManyLinks = (path: string): ToolRefused =>
  new ToolRefused('path_too_long', `${shown(path)} leads through more than ${mostLinks} links`)
