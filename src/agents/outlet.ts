import { CutParts } from './cut-parts.ts'
import type { AgentEvent, Say } from './port.ts'

/** So much of what is said between two turns is kept for the next one. */
const mostKeptBytes = 1024 * 1024
const mostKeptEvents = 2_000

/** Where an agent's words go: to the turn under way, or, between two turns, into what the next one tells first. */
export class Outlet {
  readonly #cut = new CutParts()
  #say: Say | undefined
  #kept: AgentEvent[] = []
  #keptBytes = 0
  #dropped = 0

  get isOpen(): boolean {
    return this.#say !== undefined
  }

  /** In order, and at once; resolves when it is time for more. Between two turns that is always. */
  async tell(events: readonly AgentEvent[]): Promise<void> {
    const say = this.#say
    if (say) await Promise.all(events.flatMap((event) => this.#cut.mend(event)).map(say))
    else for (const event of events) this.#keep(event)
  }

  /** What was said since the last turn comes first. */
  async open(say: Say): Promise<void> {
    const before = [...this.#kept, ...this.#cut.closing(this.#kept)]
    if (this.#dropped > 0) before.push(droppedNotice(this.#dropped))
    this.#kept = []
    this.#keptBytes = 0
    this.#dropped = 0
    this.#say = say
    await Promise.all(before.map(say))
  }

  /** These are the last words of the turn; whatever comes from now on is kept for the next one. */
  async close(last: readonly AgentEvent[]): Promise<void> {
    const told = this.tell(last)
    this.#say = undefined
    this.#cut.forget()
    await told
  }

  #keep(event: AgentEvent): void {
    const bytes = bytesOf(event)
    const isCut = this.#cut.has(event)
    const isFull = isCut || this.#keptBytes + bytes > mostKeptBytes || this.#kept.length >= mostKeptEvents
    if (isFull && this.#takesPlaceOfEarlier(event)) return
    if (isFull && !alwaysKept.has(event.type)) {
      this.#dropped += 1
      return this.#cut.cut(event)
    }
    this.#kept.push(event)
    this.#keptBytes += bytes
  }

  /** What is told again and again takes no more room than the last of it. */
  #takesPlaceOfEarlier(event: AgentEvent): boolean {
    const at = this.#kept.findLastIndex(({ type }) => type === event.type)
    const earlier = this.#kept[at]
    if (!earlier) return false
    const both = bothIn(earlier, event)
    if (!both) return false
    this.#keptBytes += bytesOf(both) - bytesOf(earlier)
    this.#kept[at] = both
    return true
  }
}

const alwaysKept = new Set<AgentEvent['type']>(['approval', 'withdrawn', 'session', 'usage'])

function bothIn(earlier: AgentEvent, later: AgentEvent): AgentEvent | undefined {
  if (later.type === 'usage') return later
  if (earlier.type !== 'session' || later.type !== 'session') return undefined
  return { type: 'session', facts: { ...earlier.facts, ...later.facts } }
}

const bytesOf = (event: AgentEvent): number =>
  event.type === 'data-terminal' ? event.bytes.length : Buffer.byteLength(JSON.stringify(event))

const droppedNotice = (count: number): AgentEvent => ({
  type: 'chunk',
  chunk: {
    type: 'data-notice',
    data: { text: `${count} messages that came between two turns were not kept` },
  },
})
