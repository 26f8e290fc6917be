import type { BoardEvents, Card } from '../../../src/contract/board-event.ts'
import type { StreamEvent } from '../../../src/contract/event.ts'
import type { TaskStatus } from '../../../src/contract/task.ts'
import { find, place, remove } from './board.ts'
import type { Board } from './board.ts'
import { fits } from './filter.ts'
import type { Filter } from './filter.ts'
import { withWork } from './work.ts'

type OfTheBoard = Extract<keyof BoardEvents, `task.${string}` | `column.${string}` | `execution.${string}`>
export type BoardEvent = {
  [Type in OfTheBoard]: { type: Type; payload: BoardEvents[Type] }
}[OfTheBoard]

const told: Record<OfTheBoard, true> = {
  'task.created': true,
  'task.edited': true,
  'task.moved': true,
  'task.reordered': true,
  'task.assigned': true,
  'task.dependency_added': true,
  'task.dependency_removed': true,
  'task.deleted': true,
  'column.respread': true,
  'execution.queued': true,
  'execution.started': true,
  'execution.cancelling': true,
  'execution.completed': true,
  'execution.reachable': true,
  'execution.measured': true,
}
/** A board event as the stream numbers and dates it. */
export type ToldEvent = BoardEvent & Pick<StreamEvent, 'seq' | 'at'>

/** The stream carries other things too, now or in a later version. */
export const isBoardEvent = (event: { type: string; payload: unknown }): boolean =>
  Object.hasOwn(told, event.type)

/** What a board becomes by an event; `reread` when only the server can tell. */
export function applyEvent(board: Board, event: BoardEvent, filter: Filter = {}): Board | 'reread' {
  if (event.type === 'column.respread') return 'reread'
  if (isAboutWork(event)) return withWork(board, event.payload.execution)
  if (event.type === 'task.deleted') return remove(board, event.payload.taskId)
  return applyCard(board, event.payload.task, filter, statusBefore(event))
}

/** Takes in a card as the server told it, unless what is shown is newer. */
export function applyCard(board: Board, card: Card, filter: Filter, from?: TaskStatus): Board | 'reread' {
  const known = find(board, card.id)
  if (known && known.card.updatedAt > card.updatedAt) return board
  const verdict = fits({ ...known?.card, ...card }, filter)
  if (verdict === 'unknown') return 'reread'
  if (!verdict) return known ? remove(board, card.id) : board
  // Whether a card that is not loaded did fit before is unknown under a filter, and so is the count.
  return filter.assigneeAgentId && !known && from ? 'reread' : place(board, card, from)
}

type AboutWork = Extract<BoardEvent, { type: `execution.${string}` }>

/** Of an agent's work on a task, not of the task itself. */
export const isAboutWork = (event: BoardEvent): event is AboutWork => event.type.startsWith('execution.')

type AboutCard = Exclude<BoardEvent, AboutWork | { type: 'task.deleted' | 'column.respread' }>

function statusBefore(event: AboutCard): TaskStatus | undefined {
  if (event.type === 'task.created') return undefined
  return event.type === 'task.moved' ? event.payload.from : event.payload.task.status
}
