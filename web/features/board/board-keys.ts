import { useEffect, useMemo } from 'react'
import type { TaskStatus } from '../../../src/contract/task.ts'
import { strings } from '../../strings/page.ts'
import { announce } from '../../ui/announce.tsx'
import { toast } from '../../ui/toast.tsx'
import { openWindow } from '../shell/windows.tsx'
import { find } from './board.ts'
import type { Board } from './board.ts'
import { boardNow } from './board-view.ts'
import { focusCard, neighbour } from './focus.ts'
import type { Direction } from './focus.ts'
import { mayGo, moveCard, whereItMayGo } from './move-card.ts'
import { menuFor } from './menu-for.ts'

const isMirrored = () => getComputedStyle(document.documentElement).direction === 'rtl'

function directionOf(key: string): Direction | undefined {
  const [left, right]: Direction[] = isMirrored() ? ['end', 'start'] : ['start', 'end']
  const directions: Record<string, Direction | undefined> = {
    ArrowUp: 'up',
    k: 'up',
    ArrowDown: 'down',
    j: 'down',
    ArrowLeft: left,
    h: left,
    ArrowRight: right,
    l: right,
  }
  return directions[key]
}

/** What a key does to a card that has the focus. Answers whether it did anything. */
export function pressOnCard(event: KeyboardEvent, id: string, columns: readonly TaskStatus[]): boolean {
  const board = boardNow()
  const direction = directionOf(event.key)
  if (event.ctrlKey || event.metaKey) return false
  if (event.altKey) {
    if (!direction || event.key.length === 1) return false
    moveBy(board, id, direction, columns)
    return true
  }
  if (event.key === ' ' || event.key === 'm') menuFor.set(id)
  else if (event.key === 's') {
    const card = find(board, id)?.card
    if (card) openWindow({ name: 'ask', task: card })
  } else if (event.key === 'Home' || event.key === 'End') {
    const known = find(board, id)
    const target = known && board[known.status].cards.at(event.key === 'Home' ? 0 : -1)
    if (target) focusCard(target.id)
  } else if (direction) {
    const target = neighbour(board, id, direction, columns)
    if (target) focusCard(target)
  } else return false
  return true
}

function moveBy(board: Board, id: string, direction: Direction, columns: readonly TaskStatus[]): void {
  const known = find(board, id)
  if (!known) return
  focusCard(id)
  if (direction === 'up' || direction === 'down') {
    const index = known.index + (direction === 'up' ? -1 : 1)
    if (index >= 0 && index < board[known.status].cards.length) void moveCard(board, id, known.status, index)
    return
  }
  const ahead = direction === 'start' ? columns.toReversed() : columns
  const beyond = ahead.slice(ahead.indexOf(known.status) + 1)
  const target = beyond.find((status) => mayGo(known.status, status))
  if (target) return void moveCard(board, id, target, 0)
  if (beyond.length === 0) return
  const reason = strings.board.cannotMove(known.card.title, whereItMayGo(known.status))
  toast(reason, { isProblem: true })
  announce(reason)
}

/** The heading has it when somebody comes from another room: that is nowhere in particular. */
const hasNoFocus = () => document.activeElement?.matches('body, h1') ?? true

/** With nothing focused, an arrow goes to the card that had the focus last, or to the first one. */
export function useKeysWithoutFocus(tabStop: string | undefined): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return
      if (!hasNoFocus() || !directionOf(event.key) || !tabStop) return
      event.preventDefault()
      focusCard(tabStop)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [tabStop])
}

/** The card that Tab leads to. */
export function useTabStop(
  board: Board,
  columns: readonly TaskStatus[],
  focusedId: string | null,
): string | undefined {
  return useMemo(() => {
    if (focusedId && find(board, focusedId)) return focusedId
    return columns.map((status) => board[status].cards[0]?.id).find((id) => id !== undefined)
  }, [board, columns, focusedId])
}
