import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { createStore, useStore } from '../../store.ts'
import { changes, withChanges } from './changes.ts'
import { emptyBoard } from './board.ts'
import type { Board } from './board.ts'
import type { Filter } from './filter.ts'
import { boardOptions } from './read-board.ts'

/** The board as it is on the screen, for those who act on it outside of drawing. */
export const shownBoard = createStore<Board>(emptyBoard)

export function useBoard(filter: Filter) {
  const { data, error, refetch } = useQuery(boardOptions(filter))
  const underWay = useStore(changes)
  const board = useMemo(() => data && withChanges(data, underWay), [data, underWay])
  useEffect(() => {
    if (board) shownBoard.set(board)
  }, [board])
  return { board, error, refetch }
}
