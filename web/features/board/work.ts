import type { ExecutionOnBoard } from '../../../src/contract/execution.ts'
import type { TaskWork } from '../../../src/contract/task.ts'
import { find } from './board.ts'
import type { Board } from './board.ts'

/** What was done for a task after the stream told of one of its executions. Ids grow with time. */
export function workAfter(known: TaskWork | null | undefined, told: ExecutionOnBoard): TaskWork | null {
  const { id, sessionId, agentId, agentName, status, changes } = told
  const newest = { executionId: id, sessionId, agentId, agentName, status }
  if (!known) return { turns: 1, ...newest, changes }
  if (id < known.executionId) return changes && !known.changes ? { ...known, changes } : known
  const turns = known.turns + (id > known.executionId ? 1 : 0)
  return { turns, ...newest, changes: changes ?? known.changes }
}

/** The board with it. A card that is further down than what was read brings it along when it is. */
export function withWork(board: Board, told: ExecutionOnBoard): Board {
  const known = told.taskId === null ? undefined : find(board, told.taskId)
  if (!known) return board
  const { cards, ...rest } = board[known.status]
  const card = { ...known.card, work: workAfter(known.card.work, told) }
  return { ...board, [known.status]: { ...rest, cards: cards.with(known.index, card) } }
}
