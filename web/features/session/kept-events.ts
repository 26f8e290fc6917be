import type { StreamEvent } from '../../../src/contract/event.ts'
import type { Fields } from './told.ts'

export interface KeptLimits {
  events: number
  characters: number
}

/** More is not kept while the end is followed: what is further up is read again when somebody goes there. */
const usual: KeptLimits = { events: 20_000, characters: 24_000_000 }
const grows = new Set(['text-delta', 'reasoning-delta', 'tool-input-delta'])

/** The part of a session's stream that is here: everything from some place on. What was said in one go is one event. */
export class KeptEvents {
  #events: StreamEvent[] = []
  #characters = 0
  #first = 0
  #last = 0
  readonly #limits: KeptLimits

  constructor(limits: KeptLimits = usual) {
    this.#limits = limits
  }

  get all(): readonly StreamEvent[] {
    return this.#events
  }
  /** Where it begins; nothing before 1 can be missing. */
  get first(): number {
    return this.#first
  }
  get last(): number {
    return this.#last
  }
  /** How many times as much as should be is here. */
  get fullness(): number {
    return Math.max(this.#events.length / this.#limits.events, this.#characters / this.#limits.characters)
  }

  /** Says whether it was new. */
  add(event: StreamEvent): boolean {
    if (event.seq <= this.#last) return false
    this.#last = event.seq
    this.#first ||= event.seq
    this.#characters += weightOf(event)
    const before = this.#events.at(-1)
    if (before && goesOn(before, event)) this.#events[this.#events.length - 1] = joined(before, event)
    else this.#events.push(event)
    return true
  }

  /** What comes right before the first one. */
  addEarlier(page: readonly StreamEvent[]): void {
    const [first] = page
    if (!first) return
    const earlier = new KeptEvents(this.#limits)
    for (const event of page) if (event.seq < this.#first || this.#first === 0) earlier.add(event)
    this.#last ||= earlier.last
    this.#first = first.seq
    this.#characters += earlier.#characters
    this.#events = [...earlier.all, ...this.#events]
  }

  /** Lets the older half go. */
  forget(): void {
    const { events, characters } = this.#limits
    let from = this.#events.length
    let kept = 0
    while (from > 1 && this.#events.length - from < events / 2 && kept < characters / 2) {
      from -= 1
      kept += weightOf(this.#events[from])
    }
    this.#events = this.#events.slice(from)
    this.#characters = kept
    this.#first = this.#events[0]?.seq ?? 0
  }
}

const fieldsOf = ({ payload }: StreamEvent): Fields => (payload ?? {}) as Fields

/** Whether it says more of the very thing that the one before said. */
function goesOn(before: StreamEvent, event: StreamEvent): boolean {
  if (before.type !== event.type || !grows.has(event.type) || before.executionId !== event.executionId)
    return false
  const [one, other] = [fieldsOf(before), fieldsOf(event)]
  return one['id'] === other['id'] && one['toolCallId'] === other['toolCallId']
}

function joined(before: StreamEvent, event: StreamEvent): StreamEvent {
  const [one, other] = [fieldsOf(before), fieldsOf(event)]
  const name = event.type === 'tool-input-delta' ? 'inputTextDelta' : 'delta'
  return { ...before, payload: { ...one, [name]: `${said(one[name])}${said(other[name])}` } }
}

const said = (value: unknown): string => (typeof value === 'string' ? value : '')

/** About as many characters as it holds. */
function weightOf(event: StreamEvent | undefined): number {
  if (!event) return 0
  let weight = 200
  for (const value of Object.values(fieldsOf(event)))
    if (typeof value === 'string') weight += value.length
    else if (typeof value === 'object' && value !== null) weight += JSON.stringify(value).length
  return weight
}
