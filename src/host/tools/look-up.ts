import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { setImmediate as otherThings } from 'node:timers/promises'
import { O_PATH } from '../confined-walk.ts'
import { within } from '../confined-way.ts'

interface Step {
  name: string
  handle: number
}

const atATime = 200

/**
 * Looks at many files, in the order of their paths: a folder stays open until the next file is not in it. A link is nowhere followed:
 * these paths come from a search, which follows none. What is no file by now is left out.
 */
export async function lookUp<Item extends { path: string }, Seen>(
  root: number,
  items: readonly Item[],
  see: (item: Item, stats: Stats, place: string) => Seen | undefined,
): Promise<Seen[]> {
  const steps: Step[] = []
  const seen: Seen[] = []
  const leave = (depth: number) => {
    for (const { handle } of steps.splice(depth)) closeSync(handle)
  }
  try {
    for (const [index, item] of items.entries()) {
      if (index % atATime === atATime - 1) await otherThings()
      const names = item.path.split('/')
      const name = names.pop()!
      const shared = names.findIndex((folder, depth) => steps[depth]?.name !== folder)
      leave(shared === -1 ? names.length : shared)
      if (!names.slice(steps.length).every((folder) => enter(folder))) continue
      const place = within(steps.at(-1)?.handle ?? root, name)
      const stats = lookAt(place)
      const what = stats?.isFile() ? see(item, stats, place) : undefined
      if (what !== undefined) seen.push(what)
    }
    return seen
  } finally {
    leave(0)
  }

  function enter(name: string): boolean {
    if (name === '' || name === '.' || name === '..') return false
    try {
      const flags = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW
      steps.push({ name, handle: openSync(within(steps.at(-1)?.handle ?? root, name), flags) })
      return true
    } catch {
      return false
    }
  }
}

function lookAt(place: string): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Opens a file that was seen there, if it is still one. Undefined when not. */
export function whileOpen<T>(place: string, use: (handle: number) => T): T | undefined {
  let handle: number
  try {
    handle = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    return fstatSync(handle).isFile() ? use(handle) : undefined
  } catch {
    return undefined
  } finally {
    closeSync(handle)
  }
}
