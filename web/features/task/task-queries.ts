import { useQuery } from '@tanstack/react-query'
import type { Task } from '../../../src/contract/task.ts'
import { api, Refusal } from '../../api.ts'
import { roomApi } from '../../room-api.ts'
import { streamIsOpen } from '../../connection.ts'
import { useStore } from '../../store.ts'
import { find } from '../board/board.ts'
import { boardNow } from '../board/board-view.ts'
import { changes, withOwnChanges } from '../board/changes.ts'
import { startReading } from '../board/journal.ts'
import { historyKey, subtasksKey, taskKey, withSubtask } from './task-cache.ts'

/** A task as it is now, with what was changed here lying over it; null when there is none. */
export function useTask(id: string): { task: Task | null | undefined; error: Error | null } {
  const underWay = useStore(changes)
  const { data, error } = useQuery({
    queryKey: taskKey(id),
    queryFn: ({ signal }) => readTask(id, signal),
    placeholderData: () => fromBoard(id),
  })
  // While the server is away, the card on the board is as much of it as there is.
  const known = error ? (data ?? fromBoard(id)) : data
  return { task: known && withOwnChanges(known, underWay), error }
}

/** Only as much as a line in a list needs, so a card on the board is good enough. */
export function useTaskTitle(id: string): Pick<Task, 'title' | 'status'> | null | undefined {
  return useTask(id).task
}

export function useSubtasks(id: string): Task[] {
  const { data } = useQuery({
    queryKey: subtasksKey(id),
    queryFn: ({ signal }) => readSubtasks(id, signal),
  })
  return data ?? []
}

export function useHistory(id: string) {
  return useQuery({ queryKey: historyKey(id), queryFn: ({ signal }) => roomApi.history(id, signal) }).data
}

/** With what the stream told while they were being read: it may be newer than the answer. */
async function readSubtasks(id: string, signal: AbortSignal): Promise<Task[]> {
  await streamIsOpen()
  const toldMeanwhile = startReading()
  const { data } = await api.tasks({ parentTaskId: id, pageSize: 500 }, signal)
  const told = toldMeanwhile()
  if (told === 'lost') return readSubtasks(id, signal)
  let list = data
  for (const { type, payload } of told) {
    if (type === 'task.deleted') list = list.filter((task) => task.id !== payload.taskId)
    else if ('task' in payload) list = withSubtask(list, payload.task, id)
  }
  return list
}

async function readTask(id: string, signal: AbortSignal): Promise<Task | null> {
  await streamIsOpen()
  const toldMeanwhile = startReading()
  const read = await roomApi.task(id, signal).catch((error: unknown) => {
    if (error instanceof Refusal && error.status === 404) return null
    throw error
  })
  const told = toldMeanwhile()
  if (told === 'lost') return readTask(id, signal)
  if (!read || told.some(({ type, payload }) => type === 'task.deleted' && payload.taskId === id)) return null
  const newer = told.flatMap(({ payload }) =>
    'task' in payload && payload.task.id === id ? [payload.task] : [],
  )
  return Object.assign({}, read, ...newer.filter((card) => card.updatedAt >= read.updatedAt))
}

function fromBoard(id: string): Task | undefined {
  const card = find(boardNow(), id)?.card
  return card?.description === undefined ? undefined : { ...card, description: card.description }
}
