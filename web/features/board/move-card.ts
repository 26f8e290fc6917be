import { generateKeyBetween } from 'fractional-indexing'
import type { Card } from '../../../src/contract/board-event.ts'
import { taskMoves } from '../../../src/contract/task-moves.ts'
import type { ReorderTask, TaskStatus } from '../../../src/contract/task.ts'
import { api } from '../../api.ts'
import { strings } from '../../strings/page.ts'
import { announce } from '../../ui/announce.tsx'
import { find, statuses } from './board.ts'
import type { Board } from './board.ts'
import { submit } from './changes.ts'

export const mayGo = (from: TaskStatus, to: TaskStatus) => from === to || taskMoves[from].includes(to)

/** Where a task may go, in the order of the board. */
export const movesFrom = (from: TaskStatus) => statuses.filter((to) => taskMoves[from].includes(to))

const list = new Intl.ListFormat('en', { type: 'disjunction' })

/** Why a task cannot go somewhere, said as where it can. */
export const whereItMayGo = (from: TaskStatus) =>
  strings.board.refusedColumn(
    strings.status[from],
    list.format(movesFrom(from).map((to) => strings.status[to])),
  )

/** What to ask of the server for a place among the other cards of a column; undefined when the card is there already. */
export function moveTo(
  board: Board,
  id: string,
  status: TaskStatus,
  index: number,
):
  | { card: Card; change: { status: TaskStatus; position: string }; ask: ReorderTask; place: number }
  | undefined {
  const known = find(board, id)
  if (!known || (known.status === status && known.index === index)) return undefined
  const others = board[status].cards.filter((card) => card.id !== id)
  const place = Math.max(0, Math.min(index, others.length))
  const above = others[place - 1]
  const below = others[place]
  const neighbour = above ? { afterId: above.id } : below ? { beforeId: below.id } : {}
  return {
    card: known.card,
    change: { status, position: positionBetween(above, below) },
    ask: { ...(status !== known.status && { status }), ...neighbour },
    place,
  }
}

export async function moveCard(board: Board, id: string, status: TaskStatus, index: number): Promise<void> {
  const move = moveTo(board, id, status, index)
  if (!move) return
  const total = board[status].total + (move.card.status === status ? 0 : 1)
  announce(strings.board.moved(move.card.title, strings.status[status], move.place + 1, total))
  await submit(move.card, move.change, () => api.reorder(id, move.ask))
}

/** Only until the server answers with the real one. */
function positionBetween(above: Card | undefined, below: Card | undefined): string {
  try {
    return generateKeyBetween(above?.position ?? null, below?.position ?? null)
  } catch {
    return above ? `${above.position}V` : ''
  }
}
