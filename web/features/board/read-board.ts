import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { TaskStatus } from '../../../src/contract/task.ts'
import { api } from '../../api.ts'
import { streamIsOpen } from '../../connection.ts'
import { queryClient } from '../../query-client.ts'
import { applyEvent } from './apply-event.ts'
import { emptyBoard, extend, isWhole, statuses } from './board.ts'
import type { Board, Column } from './board.ts'
import type { Filter } from './filter.ts'
import { startReading } from './journal.ts'

const pageSize = 100
const largestPage = 500

export const boardKey = (filter: Filter) => ['board', filter] as const

export const boardOptions = (filter: Filter) =>
  queryOptions({
    queryKey: boardKey(filter),
    queryFn: ({ signal }) => readBoard(filter, signal),
    placeholderData: keepPreviousData,
    // Columns keep their identity by how they are made; comparing 10,000 cards deeply would take longer than drawing.
    structuralSharing: false,
  })

/** Reads as many cards of each column as are shown already, so that nobody's place in a long column is lost. */
async function readBoard(filter: Filter, signal: AbortSignal): Promise<Board> {
  await streamIsOpen()
  const toldMeanwhile = startReading()
  const shown = queryClient.getQueryData<Board>(boardKey(filter))
  const columns = await Promise.all(
    statuses.map((status) => readColumn(filter, status, shown?.[status].cards.length ?? 0, signal)),
  )
  let board = emptyBoard
  for (const [index, status] of statuses.entries()) {
    const column = columns[index]
    if (column) board = extend(board, status, column.cards, column.total)
  }
  return replay(board, filter, toldMeanwhile()) ?? readBoard(filter, signal)
}

async function readColumn(
  filter: Filter,
  status: TaskStatus,
  wanted: number,
  signal: AbortSignal,
): Promise<Column> {
  const size = Math.min(largestPage, Math.max(pageSize, wanted))
  let board = emptyBoard
  for (let page = 1; page === 1 || (page - 1) * size < wanted; page += 1) {
    const { data, meta } = await api.tasks({ ...filter, status, page, pageSize: size }, signal)
    board = extend(board, status, data, meta.total)
  }
  return board[status]
}

function replay(
  start: Board,
  filter: Filter,
  told: ReturnType<ReturnType<typeof startReading>>,
): Board | undefined {
  if (told === 'lost') return undefined
  let board = start
  for (const event of told) {
    const next = applyEvent(board, event, filter)
    if (next !== 'reread') board = next
  }
  return board
}

const underWay = new Set<string>()

/** Reads the page after the loaded cards. It may overlap with them (cards come and go), but never leaves a hole. */
export async function readMore(filter: Filter, status: TaskStatus): Promise<void> {
  const key = boardKey(filter)
  const board = queryClient.getQueryData<Board>(key)
  const mark = JSON.stringify([filter, status])
  if (!board || isWhole(board[status]) || underWay.has(mark)) return
  underWay.add(mark)
  try {
    const toldMeanwhile = startReading()
    const page = Math.floor(board[status].cards.length / pageSize) + 1
    const { data, meta } = await api.tasks({ ...filter, status, page, pageSize })
    const told = toldMeanwhile()
    if (told === 'lost') return void queryClient.invalidateQueries({ queryKey: key })
    queryClient.setQueryData<Board>(
      key,
      (now) => now && replay(extend(now, status, data, meta.total), filter, told),
    )
  } finally {
    underWay.delete(mark)
  }
}
