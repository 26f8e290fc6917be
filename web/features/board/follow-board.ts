import { notifyManager } from '@tanstack/react-query'
import type { StreamEvent } from '../../../src/contract/event.ts'
import type { Task } from '../../../src/contract/task.ts'
import { api } from '../../api.ts'
import { queryClient } from '../../query-client.ts'
import { takeApprovals } from '../approval/waiting-cache.ts'
import { takeIntoHome } from '../home/home-cache.ts'
import { takeExecutions } from '../session/executions-cache.ts'
import { takeEventIntoTask, takeIntoTask } from '../task/task-cache.ts'
import { applyCard, applyEvent, isBoardEvent } from './apply-event.ts'
import type { ToldEvent } from './apply-event.ts'
import { find, statuses } from './board.ts'
import type { Board } from './board.ts'
import type { Filter } from './filter.ts'
import { keepInJournal } from './journal.ts'
import { boardKey } from './read-board.ts'

/** Takes what the stream told into everything that is shown, without asking the server again. */
export function takeEvents(events: StreamEvent[]): void {
  const told = events.filter(isBoardEvent) as ToldEvent[]
  keepInJournal(told)
  notifyManager.batch(() => {
    for (const event of told) changeBoards((board, filter) => applyEvent(board, event, filter))
    for (const event of told) takeEventIntoTask(event)
    takeExecutions(events)
    takeApprovals(events)
    takeIntoHome(events)
    if (events.some(({ type }) => type === 'agent.missing'))
      void queryClient.invalidateQueries({ queryKey: ['agents'] })
  })
}

/** Takes in a task as a request of our own was answered with it. Boards that do not show it hear of it by the stream. */
export function takeTask(task: Task): void {
  notifyManager.batch(() => {
    changeBoards((board, filter) => (find(board, task.id) ? applyCard(board, task, filter) : board))
    takeIntoTask(task)
  })
}

function changeBoards(change: (board: Board, filter: Filter) => Board | 'reread'): void {
  for (const [key, board] of queryClient.getQueriesData<Board>({ queryKey: ['board'] })) {
    const filter = key[1] as Filter
    const next = board && change(board, filter)
    if (next === 'reread')
      later(() => queryClient.invalidateQueries({ queryKey: key }), `reread ${JSON.stringify(filter)}`)
    else if (next && next !== board) {
      queryClient.setQueryData(key, next)
      if (statuses.some((status) => next[status].guessed))
        later(() => countAgain(filter), `count ${JSON.stringify(filter)}`)
    }
  }
}

async function countAgain(filter: Filter): Promise<void> {
  const key = boardKey(filter)
  const board = queryClient.getQueryData<Board>(key)
  if (!board || !queryClient.getQueryCache().find({ queryKey: key })?.isActive()) return
  const guessed = statuses.filter((status) => board[status].guessed)
  await Promise.all(
    guessed.map(async (status) => {
      const { meta } = await api.tasks({ ...filter, status, pageSize: 1 })
      queryClient.setQueryData<Board>(key, (now) => {
        if (!now) return now
        const { cards } = now[status]
        return { ...now, [status]: { cards, total: Math.max(meta.total, cards.length) } }
      })
    }),
  )
}

const waiting = new Set<string>()

/** Many events in a row cause one request, not one each. */
function later(act: () => Promise<unknown>, name: string): void {
  if (waiting.has(name)) return
  waiting.add(name)
  setTimeout(() => {
    waiting.delete(name)
    act().catch(() => {}) // the connection is lost, which is shown already, and all is read again when it is back
  }, 400)
}
