import { createStore } from '../../store.ts'
import { examples } from './examples.ts'
import { usualReach } from './reach.ts'
import type { Reach } from './reach.ts'

export interface KeptCode {
  code: string
  reach: Reach
  /** A run that waits for a person, whoever looks. */
  waits: string | null
}

const place = 'signalbox.playground'
const first: KeptCode = { code: examples[0]?.code ?? '', reach: usualReach, waits: null }

/** What is written in the playground stays in this browser until it is cleared. */
export const kept = createStore<KeptCode>(read())
kept.subscribe(() => {
  try {
    localStorage.setItem(place, JSON.stringify(kept.get()))
  } catch {
    // A browser that is full keeps what it has.
  }
})

export const keep = (change: Partial<KeptCode>): void => kept.set((now) => ({ ...now, ...change }))

function read(): KeptCode {
  try {
    const { reach, ...rest } = JSON.parse(localStorage.getItem(place) ?? '{}') as Partial<KeptCode>
    return { ...first, ...rest, reach: { ...usualReach, ...reach } }
  } catch {
    return first
  }
}
