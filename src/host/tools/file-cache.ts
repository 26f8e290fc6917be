import type { BigIntStats } from 'node:fs'

/** What is known of a file that has not changed since. */
export interface KnownFile {
  hash: string
  lines: number
  /** Absent when it is too long to be kept. */
  text?: string | undefined
}

const mostBytes = 16 << 20
const mostFiles = 10_000
const forgottenAfterMs = 60_000
/** Some file systems count time this coarsely: what changed more recently may have changed again without a trace. */
const coarsestMs = 2_000

/** Contents of files, by what tells them apart; bounded, and gone a while after nobody asks. */
export class FileCache {
  readonly #files = new Map<string, KnownFile & { bytes: number }>()
  #bytes = 0
  #idle: NodeJS.Timeout | undefined

  find(stats: BigIntStats): KnownFile | undefined {
    const key = keyOf(stats)
    const known = this.#files.get(key)
    if (!known) return undefined
    this.#files.delete(key)
    this.#files.set(key, known) // the one used last goes last
    this.#stayAwhile()
    return known
  }

  keep(stats: BigIntStats, file: KnownFile): void {
    const changedMs = Number((stats.mtimeNs > stats.ctimeNs ? stats.mtimeNs : stats.ctimeNs) / 1_000_000n)
    if (Date.now() - changedMs < coarsestMs) return
    const key = keyOf(stats)
    const bytes = 200 + 2 * (file.text?.length ?? 0)
    if (bytes > mostBytes / 2) return this.keep(stats, { ...file, text: undefined })
    this.#drop(key)
    this.#files.set(key, { ...file, bytes })
    this.#bytes += bytes
    for (const oldest of this.#files.keys()) {
      if (this.#bytes <= mostBytes && this.#files.size <= mostFiles) break
      this.#drop(oldest)
    }
    this.#stayAwhile()
  }

  clear(): void {
    clearTimeout(this.#idle)
    this.#files.clear()
    this.#bytes = 0
  }

  #drop(key: string): void {
    this.#bytes -= this.#files.get(key)?.bytes ?? 0
    this.#files.delete(key)
  }

  #stayAwhile(): void {
    if (this.#idle) this.#idle.refresh()
    else this.#idle = setTimeout(() => this.clear(), forgottenAfterMs).unref()
  }
}

const keyOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`

/** Whether a file is as it was. */
export const isUnchanged = (before: BigIntStats, after: BigIntStats): boolean =>
  keyOf(before) === keyOf(after)
