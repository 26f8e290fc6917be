import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Task, TaskStatus } from '../../../src/contract/task.ts'
import { api } from '../../api.ts'
import { streamIsOpen } from '../../connection.ts'
import { queryClient } from '../../query-client.ts'
import { applyEvent } from './apply-event.ts'
import { emptyBoard, extend, find, isWhole, statuses } from './board.ts'
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

const underWay = new Map<string, Promise<void>>()

/** Reads the page after the loaded cards. It may overlap with them (cards come and go), but never leaves a hole. */
export function readMore(filter: Filter, status: TaskStatus, size = pageSize): Promise<void> {
  const mark = JSON.stringify([filter, status])
  const reading =
    underWay.get(mark) ?? readNextPage(filter, status, size).finally(() => underWay.delete(mark))
  underWay.set(mark, reading)
  return reading
}

async function readNextPage(filter: Filter, status: TaskStatus, size: number): Promise<void> {
  const key = boardKey(filter)
  const board = queryClient.getQueryData<Board>(key)
  if (!board || isWhole(board[status])) return
  const toldMeanwhile = startReading()
  const page = Math.floor(board[status].cards.length / size) + 1
  const { data, meta } = await api.tasks({ ...filter, status, page, pageSize: size })
  const told = toldMeanwhile()
  if (told === 'lost') return void queryClient.invalidateQueries({ queryKey: key })
  queryClient.setQueryData<Board>(
    key,
    (now) => now && replay(extend(now, status, data, meta.total), filter, told),
  )
}

/** Reads on in a column until a card is there. Answers whether it is: the filter may not let it in. */
export async function readUntil(
  filter: Filter,
  { id, status }: Pick<Task, 'id' | 'status'>,
): Promise<boolean> {
  for (let before = -1; ;) {
    const board = await queryClient.ensureQueryData(boardOptions(filter))
    if (find(board, id)) return true
    const { length } = board[status].cards
    if (isWhole(board[status]) || length === before) return false
    before = length
    await readMore(filter, status, largestPage)
  }
}
