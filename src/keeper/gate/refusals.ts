import type { Audit, Noted } from './audit-file.ts'

/** Writes down what was not let through, in few lines however often somebody tries. */
export interface Refusals {
  /** The first of a place is in the book when this returns. Throws when it cannot be. */
  note: (entry: Noted) => void
  /** Writes what was only counted so far. Never throws. */
  close(): void
}

export interface RefusalPace {
  /** Further ones of the same place, for the same reason, are counted for so long, and then noted as one. */
  windowMs: number
  /** In that time so many places are noted by their names; of those that follow there is a number. */
  mostPlaces: number
}

const usualPace: RefusalPace = { windowMs: 10_000, mostPlaces: 50 }
const others = 'other places'

export function openRefusals(
  audit: Pick<Audit, 'note' | 'noteInTime'>,
  { windowMs, mostPlaces }: RefusalPace = usualPace,
): Refusals {
  const counted = new Map<string, { entry: Noted; times: number }>()
  let over: NodeJS.Timeout | undefined

  function close(): void {
    clearTimeout(over)
    over = undefined
    for (const { entry, times } of counted.values())
      if (times > 0) audit.noteInTime({ ...entry, detail: { ...entry.detail, times }, durationMs: null })
    counted.clear()
  }

  return {
    note(entry) {
      const place = JSON.stringify([entry.subject, entry.detail['reason']])
      const known = counted.get(place) ?? counted.get(others)
      if (known) known.times += 1
      else if (counted.size === mostPlaces)
        counted.set(others, { entry: { ...entry, subject: others }, times: 1 })
      else {
        audit.note(entry)
        counted.set(place, { entry, times: 0 })
      }
      over ??= setTimeout(close, windowMs).unref()
    },
    close,
  }
}
