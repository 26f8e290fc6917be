import { inBatches } from '#lib/in-batches.ts'
import type { Database } from './pool.ts'
import { pinsOf, putPins } from './tool-pins.ts'
import type { Pin, PinnedDefinition } from './tool-pins.ts'

/** What was accepted of sources. A thousand that begin at once ask and tell in a few statements. */
export interface PinBook {
  of(source: string): Promise<ReadonlyMap<string, string>>
  put(source: string, pins: readonly PinnedDefinition[], by: string): Promise<void>
}

const mostAtOnce = 500

export function openPinBook(db: Database): PinBook {
  const read = inBatches(mostAtOnce, async (names: readonly string[]) => {
    const found = await pinsOf(db, names)
    return names.map((name) => found.get(name) ?? new Map<string, string>())
  })
  const write = inBatches(mostAtOnce, async (some: readonly (readonly Pin[])[]) => {
    await putPins(db, some.flat())
    return some.map(() => undefined)
  })
  return {
    of: read,
    put: (source, pins, by) => write(pins.map((pin) => ({ ...pin, source, by }))),
  }
}
