import type { AgentEvent, Say } from '../port.ts'
import { notice } from './decode.ts'

/** Between two turns this much is kept for the next one; then the agent waits in its own write. */
const mostUnsaid = 10_000
/** As many malformed lines are told one by one. */
const mostNotices = 3

/** Where the agent's words go: to whoever listens to the turn, or, between two turns, to the next one. */
export class Voice {
  #say: Say | undefined
  #unsaid: AgentEvent[] = []
  #begun = Promise.withResolvers<void>()
  #skipped = 0

  /** What was said since the last turn comes first. */
  async begin(say: Say): Promise<void> {
    this.#say = say
    const unsaid = this.#unsaid
    this.#unsaid = []
    await this.tell(unsaid)
    this.#begun.resolve()
  }

  get isHeard(): boolean {
    return this.#say !== undefined
  }

  /** In the order of the calls. Resolves when it is time for more. Never rejects. */
  async tell(events: AgentEvent[]): Promise<void> {
    const say = this.#say
    if (say) await Promise.all(events.map((event) => say(event)))
    else {
      this.#unsaid.push(...events)
      if (this.#unsaid.length > mostUnsaid) await this.#begun.promise
    }
  }

  /** A line of the agent that is skipped; the frames have it as it was. */
  async skip(what: string): Promise<void> {
    this.#skipped += 1
    if (this.#skipped <= mostNotices) await this.tell(notice(`Skipped ${what} in the agent's protocol.`))
  }

  async end(): Promise<void> {
    if (this.#skipped > mostNotices)
      await this.tell(
        notice(`${this.#skipped} lines of the agent's protocol could not be read and were skipped.`),
      )
    this.#skipped = 0
    this.#say = undefined
    this.#begun = Promise.withResolvers()
  }
}
