import type { Card } from '../../../src/contract/board-event.ts'
import type { Meta } from '../../../src/contract/answer.ts'
import type { Task, TaskEvent } from '../../../src/contract/task.ts'
import { queryClient } from '../../query-client.ts'
import { isAboutWork } from '../board/apply-event.ts'
import type { ToldEvent } from '../board/apply-event.ts'

export const taskKey = (id: string) => ['task', id] as const
export const subtasksKey = (id: string) => ['subtasks', id] as const
export const historyKey = (id: string) => ['history', id] as const

/** Takes what the stream told into the open task, its subtasks and its history. */
export function takeEventIntoTask(event: ToldEvent): void {
  if (event.type === 'column.respread' || isAboutWork(event)) return
  if (event.type === 'task.deleted') return forget(event.payload.taskId)
  takeIntoTask(event.payload.task)
  const line: TaskEvent = {
    seq: event.seq,
    type: event.type.replace('task.', ''),
    payload: { ...event.payload },
    at: event.at,
  }
  queryClient.setQueryData<{ data: TaskEvent[]; meta: Meta }>(historyKey(event.payload.task.id), (now) => {
    if (!now || now.data.some((known) => known.seq === line.seq)) return now
    return { ...now, data: [...now.data, line] }
  })
}

export function takeIntoTask(card: Card): void {
  queryClient.setQueryData<Task | null>(taskKey(card.id), (now) =>
    now && now.updatedAt <= card.updatedAt ? { ...now, ...card } : now,
  )
  for (const [key, list] of queryClient.getQueriesData<Task[]>({ queryKey: ['subtasks'] })) {
    if (list) queryClient.setQueryData(key, withSubtask(list, card, String(key[1])))
  }
}

/** The subtasks of a task after one card was told: it may be new among them, changed, or no longer one of them. */
export function withSubtask(list: Task[], card: Card, parentId: string): Task[] {
  const known = list.find((task) => task.id === card.id)
  if (known && known.updatedAt > card.updatedAt) return list
  const others = known ? list.filter((task) => task !== known) : list
  if (card.parentTaskId !== parentId) return others
  const taken = { description: '', ...known, ...card }
  return known ? list.map((task) => (task === known ? taken : task)) : [...list, taken]
}

function forget(id: string): void {
  queryClient.setQueryData<Task | null>(taskKey(id), (now) => (now === undefined ? now : null))
  for (const [key, list] of queryClient.getQueriesData<Task[]>({ queryKey: ['subtasks'] })) {
    if (list?.some((task) => task.id === id))
      queryClient.setQueryData(
        key,
        list.filter((task) => task.id !== id),
      )
  }
}
