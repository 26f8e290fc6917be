import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { api } from '../../api.ts'
import { part } from '../../part.tsx'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useKeys } from '../shell/keys.ts'
import { openWindow } from '../shell/windows.tsx'
import { BoardColumns } from './board-columns.tsx'
import { useBoard } from './board-view.ts'
import { statuses, statusesWithoutCancelled } from './board.ts'
import { Empty } from '../../ui/empty.tsx'
import { Filters } from './filters.tsx'
import { isFiltered } from './filter.ts'
import type { Filter } from './filter.ts'

const TaskSheet = part(() => import('../task/sheet.tsx'))
const newTask = () => openWindow({ name: 'newTask' })
const route = getRouteApi('/board')

export default function BoardPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { q, assignee, task, cancelled } = search
  const filter = useMemo<Filter>(
    () => ({ ...(q && { q }), ...(assignee && { assigneeAgentId: assignee }) }),
    [q, assignee],
  )
  const columns = cancelled === 'shown' ? statuses : statusesWithoutCancelled
  const { board, error, refetch } = useBoard(filter, columns)
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => api.agents(signal) }).data ?? []
  const change = useCallback(
    ({ q: text, assigneeAgentId }: Filter) =>
      void navigate({
        to: '/board',
        search: (now) => ({ ...now, q: text || undefined, assignee: assigneeAgentId || undefined }),
        replace: true,
      }),
    [navigate],
  )
  useKeys({ '/': () => document.querySelector<HTMLInputElement>('[data-filter]')?.focus() })
  const isEmpty = board && statuses.every((status) => board[status].total === 0)
  return (
    <>
      <PageHead title={strings.board.heading}>
        <Button look="main" onClick={newTask}>
          {strings.board.newTask} <Kbd keys="N" className="text-current! max-sm:hidden" />
        </Button>
        <Filters filter={filter} agents={agents} onChange={change} />
      </PageHead>
      {error && !board && (
        <Empty title={strings.board.failed} text={error.message}>
          <Button onClick={() => void refetch()}>{strings.retry}</Button>
        </Empty>
      )}
      {isEmpty && !isFiltered(filter) && (
        <Empty title={strings.board.emptyTitle} text={strings.board.emptyText}>
          <Button look="main" onClick={newTask}>
            <Plus size={14} aria-hidden /> {strings.board.newTask}
          </Button>
        </Empty>
      )}
      {isEmpty && isFiltered(filter) && (
        <Empty title={strings.board.nothingFitsTitle} text={strings.board.nothingFitsText}>
          <Button onClick={() => change({})}>{strings.board.clearFilters}</Button>
        </Empty>
      )}
      {board && !isEmpty && (
        <BoardColumns board={board} filter={filter} agents={agents} openTask={task} columns={columns} />
      )}
      {task && <TaskSheet key={task} id={task} />}
    </>
  )
}
