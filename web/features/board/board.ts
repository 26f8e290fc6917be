import type { Card } from '../../../src/contract/board-event.ts'
import type { TaskStatus } from '../../../src/contract/task.ts'

/** The first cards of a column, in order and without holes; `total` counts the ones further down too. */
export interface Column {
  cards: readonly Card[]
  total: number
  /** Something happened below the loaded cards, so the total is a guess until it is counted again. */
  guessed?: boolean
}
export type Board = Record<TaskStatus, Column>

export const statuses = [
  'todo',
  'in_progress',
  'blocked',
  'done',
  'cancelled',
] as const satisfies TaskStatus[]

export const statusesWithoutCancelled: readonly TaskStatus[] = statuses.filter(
  (status) => status !== 'cancelled',
)

export const emptyBoard: Board = {
  todo: { cards: [], total: 0 },
  in_progress: { cards: [], total: 0 },
  blocked: { cards: [], total: 0 },
  done: { cards: [], total: 0 },
  cancelled: { cards: [], total: 0 },
}

export const isWhole = (column: Column) => column.cards.length >= column.total

export interface Place {
  status: TaskStatus
  index: number
}

export function find(board: Board, id: string): (Place & { card: Card }) | undefined {
  for (const status of statuses) {
    const index = board[status].cards.findIndex((card) => card.id === id)
    const card = board[status].cards[index]
    if (card) return { status, index, card }
  }
  return undefined
}

/** Puts a card where it now belongs. `from` says where it was, for a card below the loaded ones. */
export function place(board: Board, card: Card, from?: TaskStatus): Board {
  const known = find(board, card.id)
  if (known) return insert(takeOut(board, known), { ...known.card, ...card }, true)
  return insert(from ? count(board, from, -1) : board, card, from === card.status)
}

export function remove(board: Board, id: string): Board {
  const known = find(board, id)
  return known ? takeOut(board, known) : guess(board)
}

/** Adds a page that was read to the cards that are there; of a card in both, the newer one stays. */
export function extend(board: Board, status: TaskStatus, page: readonly Card[], total: number): Board {
  const fresh = new Map(page.map((card) => [card.id, card]))
  const next = { ...board }
  for (const each of statuses) {
    const column = board[each]
    const kept = column.cards.filter((card) => {
      const read = fresh.get(card.id)
      if (!read || card.updatedAt <= read.updatedAt) return !read
      return fresh.delete(card.id)
    })
    const gone = column.cards.length - kept.length
    if (gone > 0) next[each] = { ...column, cards: kept, total: column.total - gone }
  }
  const last = page.at(-1)?.position ?? ''
  const movedOn = page.filter((card) => !fresh.has(card.id) && find(next, card.id)?.status !== status).length
  const cards = [...next[status].cards, ...fresh.values()].toSorted(byPosition)
  const isAll = page.length === 0 || cards.length >= total - movedOn
  next[status] = isAll
    ? { cards, total: cards.length }
    : { cards: cards.filter((card) => card.position <= last), total: total - movedOn }
  return next
}

function insert(board: Board, card: Card, isCounted: boolean): Board {
  const column = board[card.status]
  const last = column.cards.at(-1)
  const isVisible = isWhole(column) || (last !== undefined && card.position < last.position)
  const cards = isVisible ? splice(column.cards, card) : column.cards
  const guessed = column.guessed || (!isCounted && !isWhole(column))
  return { ...board, [card.status]: { cards, total: column.total + 1, ...(guessed && { guessed }) } }
}

function takeOut(board: Board, { status, index }: Place): Board {
  const column = board[status]
  return {
    ...board,
    [status]: { ...column, cards: column.cards.toSpliced(index, 1), total: column.total - 1 },
  }
}

function count(board: Board, status: TaskStatus, by: number): Board {
  const column = board[status]
  if (isWhole(column)) return board
  return { ...board, [status]: { ...column, total: column.total + by, guessed: true } }
}

function guess(board: Board): Board {
  if (statuses.every((status) => isWhole(board[status]))) return board
  return {
    todo: guessed(board.todo),
    in_progress: guessed(board.in_progress),
    blocked: guessed(board.blocked),
    done: guessed(board.done),
    cancelled: guessed(board.cancelled),
  }
}

const guessed = (column: Column): Column => (isWhole(column) ? column : { ...column, guessed: true })

/** Positions sort as bytes do, which `<` does for them and localeCompare would not. */
const byPosition = (one: Card, other: Card) => (one.position < other.position ? -1 : 1)

function splice(cards: readonly Card[], card: Card): readonly Card[] {
  let low = 0
  let high = cards.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((cards[middle]?.position ?? '') < card.position) low = middle + 1
    else high = middle
  }
  return cards.toSpliced(low, 0, card)
}
