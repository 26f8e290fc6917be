import type { ResultFrame } from './frame.ts'

/**
 * The messages of a turn that are still to be answered. Results cannot simply be counted: Claude takes a message up in the middle of
 * a turn when a tool was running, and answers several that waited with one result. So each has an id, and Claude tells of it.
 */
export class SentMessages {
  readonly #open = new Map<string, 'sent' | 'started'>()
  #isRunning = false
  #isTold = false

  add(id: string): void {
    this.#open.set(id, 'sent')
  }

  /** Those that Claude has not begun with, as far as we know. */
  get waiting(): string[] {
    return [...this.#open].filter(([, state]) => state === 'sent').map(([id]) => id)
  }

  get areDone(): boolean {
    return this.#open.size === 0 && !this.#isRunning
  }

  /** From a `command_lifecycle` frame. */
  note(id: string, state: string): void {
    this.#isTold = true
    if (!this.#open.has(id) || state === 'queued') return
    if (state !== 'started') this.#open.delete(id)
    else {
      this.#open.set(id, 'started')
      this.#isRunning = true
    }
  }

  answer({ user_message_uuids: ids }: ResultFrame): void {
    this.#isRunning = false
    for (const id of ids ?? []) this.#open.delete(id)
    // An older Claude tells nothing of them, and answers one at a time.
    const [oldest] = this.#open.keys()
    if (!ids && !this.#isTold && oldest !== undefined) this.#open.delete(oldest)
  }
}
