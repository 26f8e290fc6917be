import { createStore } from '../../store.ts'
import { find, statuses } from './board.ts'
import type { Board, Place } from './board.ts'

/** `id` is the card that has or had the focus; `wanted` the one that takes it as soon as it is drawn. */
export const focus = createStore<{ id: string | null; wanted: string | null }>({ id: null, wanted: null })

/** The card that is to be seen, without taking the focus; `null` once it is. */
export const sight = createStore<string | null>(null)

export const focusCard = (id: string) => focus.set({ id, wanted: id })

export type Direction = 'up' | 'down' | 'start' | 'end'

/** The card next to one, in a direction; columns without cards are stepped over. */
export function neighbour(
  board: Board,
  id: string,
  direction: Direction,
  columns: readonly Place['status'][],
): string | undefined {
  const known = find(board, id)
  if (!known) return undefined
  if (direction === 'up' || direction === 'down') {
    const index = known.index + (direction === 'up' ? -1 : 1)
    return board[known.status].cards[index]?.id
  }
  const beside = columns.slice()
  if (direction === 'start') beside.reverse()
  const target = beside
    .slice(beside.indexOf(known.status) + 1)
    .map((status) => board[status].cards)
    .find((cards) => cards.length > 0)
  return target?.[Math.min(known.index, target.length - 1)]?.id
}

/** Who inherits the focus of a card that is no longer shown: the one that took its place, or the one above. */
export function heir(board: Board, place: Place): string | undefined {
  const { cards } = board[place.status]
  const inColumn = cards[Math.min(place.index, cards.length - 1)]?.id
  return inColumn ?? statuses.map((status) => board[status].cards[0]?.id).find((id) => id !== undefined)
}
