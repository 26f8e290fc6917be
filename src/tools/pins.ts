import type { Definition } from './definition.ts'
import type { RegistryHands } from './port.ts'

const mostAtOnce = 500
/** So much of one source is remembered. None is forgotten to make room: whoever shows enough of others could change it unseen. */
export const mostPinned = 20_000
const mostCharacters = 64 * 1024 * 1024

export interface Pins {
  /** Resolves when it is known what was accepted. Rejects while that cannot be read; asked again, it is tried again. */
  ready(): Promise<void>
  isReady(): boolean
  /** It has shown more than is remembered. */
  isFull(): boolean
  /** Whether it is another definition than the accepted one. What has never been seen is not, as long as it can be remembered. */
  isChanged(short: string, definition: Definition): boolean
  /** Those that have never been seen count from now on. */
  take(seen: Iterable<readonly [short: string, definition: Definition]>): void
  accept(short: string, definition: Definition, by: string): Promise<void>
}

/** What was accepted of one source. */
export function openPins(hands: RegistryHands['pins'], source: string): Pins {
  let known: Map<string, string> | undefined
  let reading: Promise<void> | undefined
  const unkept = new Map<string, Definition>()
  let keeping: Promise<void> | undefined
  let characters = 0
  let isFull = false

  async function read() {
    try {
      known = new Map(await hands.of(source))
    } finally {
      reading = undefined
    }
  }

  async function keepAll() {
    while (unkept.size > 0) {
      const some = [...unkept].slice(0, mostAtOnce)
      await hands.put(source, some.map(asPin), 'first seen')
      for (const [short, definition] of some) if (unkept.get(short) === definition) unkept.delete(short)
    }
  }

  function keep() {
    // Should it fail, what is not kept yet stays in the list for the next time.
    keeping ??= keepAll()
      .catch(() => {})
      .finally(() => (keeping = undefined))
  }

  return {
    isReady: () => known !== undefined,
    isFull: () => isFull,
    async ready() {
      if (!known) await (reading ??= read())
    },
    isChanged(short, { hash }) {
      const accepted = known?.get(short)
      return accepted === undefined ? isFull : accepted !== hash
    },
    take(seen) {
      if (!known) return
      for (const [short, definition] of seen) {
        if (known.has(short)) continue
        isFull ||= known.size >= mostPinned || characters > mostCharacters
        if (isFull) break
        characters += definition.size
        known.set(short, definition.hash)
        unkept.set(short, definition)
      }
      if (unkept.size > 0) keep()
    },
    async accept(short, definition, by) {
      await keeping
      await hands.put(source, [asPin([short, definition])], by)
      unkept.delete(short)
      known?.set(short, definition.hash)
    },
  }
}

const asPin = ([tool, { hash, told }]: readonly [string, Definition]) => ({ tool, hash, definition: told() })
