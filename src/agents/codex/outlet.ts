import type { AgentEvent, Say } from '../port.ts'

/** So much is kept of what is said while nobody listens. */
const mostKept = 1_000

/** Where the agent's words go: to the turn under way, or into what the next one tells first. */
export class Outlet {
  readonly #kept: AgentEvent[] = []
  #say: Say | undefined
  #dropped = 0

  /** In order, and at once; resolves when it is time for more. */
  async tell(events: readonly AgentEvent[]): Promise<void> {
    const say = this.#say
    if (say) {
      await Promise.all(events.map(say))
      return
    }
    this.#kept.push(...events)
    const tooMany = Math.max(0, this.#kept.length - mostKept)
    // Of the first ones one is what the session is; what is old among the rest is of the least use.
    this.#kept.splice(1, tooMany)
    this.#dropped += tooMany
  }

  async open(say: Say): Promise<void> {
    const before = this.#kept.splice(0)
    const dropped = this.#dropped
    this.#dropped = 0
    this.#say = say
    await this.tell([
      ...before,
      ...(dropped > 0 ? [chunkOf(`${dropped} messages that came between two turns were not kept`)] : []),
    ])
  }

  close(): void {
    this.#say = undefined
  }
}

const chunkOf = (text: string): AgentEvent => ({
  type: 'chunk',
  chunk: { type: 'data-notice', data: { text } },
})
