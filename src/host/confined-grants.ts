import { inside } from '#contract/host.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { shown } from './confined-path.ts'

/** Paths of a root that somebody is held to: nothing outside of them is reached, nor found out. */
export class Grants {
  readonly #paths: readonly (readonly string[])[]

  constructor(paths: readonly string[]) {
    this.#paths = paths.map((path) => namesOf(path))
  }

  /** Names on the way to where something is, without links: below what was granted, or on the way to it. Throws ToolRefused. */
  checkWay(names: readonly string[], asked: string): void {
    if (!this.#paths.some((path) => isPrefix(path, names) || isPrefix(names, path))) throw notGranted(asked)
  }

  /** Where it ends: at what was granted, or below it. Throws ToolRefused. */
  checkEnd(names: readonly string[], asked: string): void {
    if (!this.#paths.some((path) => isPrefix(path, names))) throw notGranted(asked)
  }
}

const isPrefix = (one: readonly string[], other: readonly string[]): boolean =>
  one.length <= other.length && one.every((name, at) => name === other[at])

function namesOf(path: string): string[] {
  const below = `${path}/`.startsWith(`${inside.root}/`) ? path.slice(inside.root.length) : path
  return below.split('/').filter((name) => name !== '' && name !== '.')
}

export const notGranted = (
  path: string,
  why = 'leads to a place outside of the paths that were granted',
): ToolRefused => new ToolRefused('path_not_granted', `${shown(path)} ${why}`, { path: shown(path) })
