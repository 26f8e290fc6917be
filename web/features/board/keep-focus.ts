import { useEffect, useRef } from 'react'
import type { TaskStatus } from '../../../src/contract/task.ts'
import { strings } from '../../strings/page.ts'
import { announce } from '../../ui/announce.tsx'
import { boardNow } from './board-view.ts'
import { find } from './board.ts'
import type { Board, Place } from './board.ts'
import { changes } from './changes.ts'
import { focus, focusCard, heir } from './focus.ts'

/** Watches the focused card: tells when somebody else moves it, and names an heir when it is no longer shown. */
export function useKeptFocus(
  board: Board | undefined,
  columns: readonly TaskStatus[],
  focusedId: string | null,
): void {
  const last = useRef<(Place & { id: string }) | null>(null)
  useEffect(() => {
    if (!board || !focusedId) return
    const now = find(board, focusedId)
    const before = last.current?.id === focusedId ? last.current : null
    if (now && columns.includes(now.status)) {
      const isOwn = changes.get().some(({ id }) => id === focusedId)
      if (before && before.status !== now.status && !isOwn)
        announce(strings.board.movedByOther(now.card.title, strings.status[now.status]))
      last.current = { id: focusedId, status: now.status, index: now.index }
      return
    }
    // On the board, only not drawn yet.
    if (!before && find(boardNow(), focusedId)) return
    const next = before && heir(board, before)
    const hadFocus = focus.get().wanted === focusedId
    if (next && hadFocus) focusCard(next)
    else focus.set({ id: next ?? null, wanted: null })
  }, [board, columns, focusedId])
}
