import type { BoardEvent } from './apply-event.ts'

const kept = 2000
let count = 0
let recent: BoardEvent[] = []

/** Remembers what the stream told, for lists that were asked for before and arrive after it. */
export function keepInJournal(events: BoardEvent[]): void {
  count += events.length
  recent = [...recent, ...events].slice(-kept)
}

/** Answers, when called, with everything that was told since; `lost` when that was more than is kept. */
export function startReading(): () => BoardEvent[] | 'lost' {
  const start = count
  return () => {
    const missed = count - start
    if (missed > recent.length) return 'lost'
    return missed === 0 ? [] : recent.slice(-missed)
  }
}
