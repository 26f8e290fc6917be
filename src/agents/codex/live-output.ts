/** So much of a running command's output is shown: its end. */
const shown = 4 * 1024
/** So often at once; then only after a pause, or when all of what is shown is new. */
const freely = 32
const pauseMs = 250
/** What is kept in case that Codex does not repeat it at the end. */
const kept = 64 * 1024

/** What a command has written so far. Every time it is shown replaces the one before, so it is not shown for every word. */
export class LiveOutput {
  text = ''
  #times = 0
  #unseen = 0
  #lastAt = 0

  /** What is to be shown now, if anything. */
  add(delta: string, at: number): string | undefined {
    this.text = (this.text + delta).slice(-kept)
    this.#unseen += delta.length
    const isTime = this.#times < freely || at - this.#lastAt >= pauseMs || this.#unseen >= shown
    if (!isTime) return undefined
    this.#times += 1
    this.#unseen = 0
    this.#lastAt = at
    return this.text.slice(-shown)
  }
}
