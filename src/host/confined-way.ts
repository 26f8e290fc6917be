import { closeSync, rmdirSync } from 'node:fs'

export const within = (folder: number, name: string): string => `/proc/self/fd/${folder}/${name}`

interface Step {
  handle: number
  name: string
  isMade: boolean
}

/** The folders from the root to where we are, all held open: going back is going to one of these, whatever has become of it. */
export class Way {
  readonly #root: number
  readonly #steps: Step[] = []

  constructor(root: number) {
    this.#root = root
  }

  get depth(): number {
    return this.#steps.length
  }

  /** Where we are, or so many folders above it. */
  folder(above = 0): number {
    return this.#steps.at(-1 - above)?.handle ?? this.#root
  }

  /** What the folder is called that we are in. */
  get name(): string {
    return this.#steps.at(-1)?.name ?? '.'
  }

  path(...more: string[]): string {
    return this.names(...more).join('/') || '.'
  }

  names(...more: string[]): string[] {
    return [...this.#steps.map(({ name }) => name), ...more]
  }

  enter(step: Step): void {
    this.#steps.push(step)
  }

  /** Goes back to this depth. Folders that were made on a way that is not gone are removed, unless something is in them. */
  back(depth: number, { isGivenUp = true } = {}): void {
    while (this.#steps.length > depth) {
      const { handle, name, isMade } = this.#steps.pop()!
      closeSync(handle)
      if (isMade && isGivenUp) removeFolder(within(this.folder(), name))
    }
  }
}

function removeFolder(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // Somebody uses it by now.
  }
}
