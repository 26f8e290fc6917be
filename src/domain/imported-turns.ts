import type { NewEvent } from '#contract/event.ts'
import type { OutsideTurn } from '#contract/internal.ts'

/** What was said outside, as the session's stream tells it: like anything else, and marked as brought in. */
export function importedEvents(turns: readonly OutsideTurn[]): NewEvent[] {
  return turns.flatMap(({ role, text, at }, index): NewEvent[] => {
    const marked = { imported: true, ...(at !== null && { at }) }
    if (role === 'user')
      return [{ type: 'data-message', payload: { role, text, files: [], by: null, ...marked } }]
    const id = `imported-${index + 1}`
    return [
      { type: 'text-start', payload: { id, ...marked } },
      { type: 'text-delta', payload: { id, delta: text, ...marked } },
      { type: 'text-end', payload: { id, ...marked } },
    ]
  })
}

/** One line of a title that was not written for us. */
export const importedTitle = (title: string, otherwise: string): string =>
  title
    .replaceAll(/[\s\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed() || otherwise
