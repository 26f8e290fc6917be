import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { queryClient } from '../../query-client.ts'
import { useStore } from '../../store.ts'
import type { TaskStatus } from '../../../src/contract/task.ts'
import { changes, withChanges } from './changes.ts'
import { emptyBoard } from './board.ts'
import type { Board } from './board.ts'
import type { Filter } from './filter.ts'
import { boardKey, boardOptions } from './read-board.ts'

let shown: Filter = {}
let shownColumns: readonly TaskStatus[] = []

export function useBoard(filter: Filter, columns: readonly TaskStatus[]) {
  const { data, error, refetch } = useQuery(boardOptions(filter))
  const underWay = useStore(changes)
  const board = useMemo(() => data && withChanges(data, underWay), [data, underWay])
  useEffect(() => {
    shown = filter
    shownColumns = columns
    return () => {
      shownColumns = []
    }
  }, [filter, columns])
  return { board, error, refetch }
}

/** The board that is shown, for those who act on it: up to date even before it is drawn. */
export function boardNow(): Board {
  const board = queryClient.getQueryData<Board>(boardKey(shown))
  return board ? withChanges(board, changes.get()) : emptyBoard
}

/** What the board is narrowed to, if it is on the screen with this column unfolded. */
export const filterShowing = (status: TaskStatus): Filter | undefined =>
  shownColumns.includes(status) ? shown : undefined
