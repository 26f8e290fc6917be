import type { Card } from '../../../src/contract/board-event.ts'

/** What the board is narrowed to. The server finds `q` in titles and descriptions, whatever their case. */
export interface Filter {
  q?: string
  assigneeAgentId?: string
}

export const isFiltered = (filter: Filter) => Boolean(filter.q || filter.assigneeAgentId)

/** `unknown` for a card whose description we have not seen: only the server can tell. */
export function fits(card: Card, filter: Filter): boolean | 'unknown' {
  if (filter.assigneeAgentId && card.assigneeAgentId !== filter.assigneeAgentId) return false
  if (!filter.q) return true
  const wanted = filter.q.toLowerCase()
  if (card.title.toLowerCase().includes(wanted)) return true
  return card.description === undefined ? 'unknown' : card.description.toLowerCase().includes(wanted)
}
