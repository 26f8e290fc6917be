import { closeSync, constants, fstatSync, openSync, realpathSync } from 'node:fs'
import { ToolRefused } from '#lib/tool-refused.ts'
import { O_PATH, notAFolder, notFound, walk } from './confined-walk.ts'
import { within } from './confined-way.ts'
import type { WalkRules, Walkable, Walked } from './confined-walk.ts'
import { refusalFor } from './system-refusal.ts'

const folderFlags = O_PATH | constants.O_DIRECTORY

/** Where a path leads to inside the root. */
export interface Place extends Pick<Walked, 'path' | 'folder' | 'name' | 'there'> {
  root: number
}

export interface FolderPlace {
  path: string
  handle: number
  root: number
}

/** The files below one folder, and nothing else, whatever is renamed or linked meanwhile. */
export class Confined {
  readonly #asked: string
  #root: Walkable | undefined
  /** Its real path, from when it was first opened. */
  #path: string | undefined

  constructor(root: string) {
    this.#asked = root
  }

  /** The root, as the system calls it. */
  get path(): string {
    this.#open()
    return this.#path ?? this.#asked
  }

  /** `use` may keep the handles of the place until it has resolved. Rejects with ToolRefused. */
  async at<T>(path: string, use: (place: Place) => Promise<T> | T, rules: WalkRules = {}): Promise<T> {
    const root = this.#lend()
    let walked: Walked | undefined
    let isForNothing = true
    try {
      walked = walk(root, path, rules)
      const used = await use({ ...walked, root: root.handle })
      isForNothing = false
      return used
    } catch (error) {
      throw refusalFor(error, path)
    } finally {
      walked?.close(isForNothing)
      closeSync(root.handle)
    }
  }

  /** What is there, if it is a folder. Rejects with ToolRefused. */
  in<T>(path: string, use: (place: FolderPlace) => Promise<T> | T): Promise<T> {
    return this.at(path, (place) => {
      if (!place.there) throw notFound(place.path)
      if (!place.there.stats.isDirectory()) throw notAFolder(place.path)
      return use({ path: place.path, handle: place.there.handle, root: place.root })
    })
  }

  /** A handle of one's own: the number of one that is closed meanwhile would soon be another's. */
  #lend(): Walkable {
    const { handle, paths } = this.#open()
    return { handle: openSync(`/proc/self/fd/${handle}`, folderFlags), paths }
  }

  /** Opened once. A folder that was removed and made anew is another one, and is opened if no link stands where it was. */
  #open(): Walkable {
    if (this.#root && fstatSync(this.#root.handle).nlink > 0) return this.#root
    this.close()
    try {
      this.#path ??= realpathSync(this.#asked)
      this.#root = { handle: openFolder(this.#path), paths: [...new Set([this.#path, this.#asked])] }
      return this.#root
    } catch {
      throw new ToolRefused('path_not_found', 'The folder of the workspace is gone, or cannot be opened')
    }
  }

  close(): void {
    if (this.#root) closeSync(this.#root.handle)
    this.#root = undefined
  }
}

/** Opens a folder by its real path: no link may be on the way. */
function openFolder(path: string): number {
  let handle = openSync('/', folderFlags)
  for (const name of path.split('/').filter(Boolean)) {
    const above = handle
    try {
      handle = openSync(within(above, name), folderFlags | constants.O_NOFOLLOW)
    } finally {
      closeSync(above)
    }
  }
  return handle
}
