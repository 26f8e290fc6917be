import { getRouteApi } from '@tanstack/react-router'
import { FoldHorizontal } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import type { TaskStatus } from '../../../src/contract/task.ts'
import { useStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'
import { IconButton } from '../../ui/button.tsx'
import { useAskable } from '../agent/askable.ts'
import { AgentStrip } from './agent-strip.tsx'
import { pressOnCard, useKeysWithoutFocus, useTabStop } from './board-keys.ts'
import { boardNow } from './board-view.ts'
import { find } from './board.ts'
import type { Board } from './board.ts'
import type { ListContext } from './card-list.tsx'
import { ColumnStrip } from './column-strip.tsx'
import { ColumnView } from './column.tsx'
import type { Filter } from './filter.ts'
import { focus, focusCard } from './focus.ts'
import { useKeptFocus } from './keep-focus.ts'
import { useMovements } from './live-tasks.ts'
import { moveCard } from './move-card.ts'
import { readMore } from './read-board.ts'
import { showOpenTask } from './show-card.ts'
import { startWith } from './start-with.ts'
import { useNow } from './use-now.ts'
import { whenDragIsThere } from './when-drag-is-there.ts'

interface Props {
  board: Board
  filter: Filter
  agents: Agent[]
  openTask: string | undefined
  columns: readonly TaskStatus[]
}

const route = getRouteApi('/board')

export function BoardColumns({ board, filter, agents, openTask, columns }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const navigate = route.useNavigate()
  const now = useNow()
  const movements = useMovements()
  const focusedId = useStore(focus, ({ id }) => id)
  const tabStop = useTabStop(board, columns, focusedId)
  useKeptFocus(board, columns, focusedId)
  useKeysWithoutFocus(tabStop)
  const askable = useAskable()
  const agentsNow = useRef(askable)
  useEffect(() => {
    agentsNow.current = askable
  })
  const openSession = useCallback(
    (id: string) => void navigate({ to: '/sessions/$id', params: { id } }),
    [navigate],
  )
  useEffect(() => {
    if (openTask && focus.get().id !== openTask) void showOpenTask(openTask)
  }, [openTask])

  useEffect(() => {
    const area = frame.current
    if (!area) return undefined
    return whenDragIsThere((drag) =>
      drag.onCardDrop(
        area,
        boardNow,
        (id, status, index) => {
          focusCard(id)
          void moveCard(boardNow(), id, status, index)
        },
        (id, agentId) => {
          const card = find(boardNow(), id)?.card
          const given = agentsNow.current?.find(({ agent }) => agent.id === agentId)
          focusCard(id)
          if (card && given) void startWith(card, given, openSession)
        },
      ),
    )
  }, [openSession])

  useEffect(() => {
    const area = frame.current
    const press = (event: KeyboardEvent) => {
      const id = event.target instanceof HTMLElement ? event.target.dataset['card'] : undefined
      if (id && pressOnCard(event, id, columns)) event.preventDefault()
    }
    area?.addEventListener('keydown', press)
    return () => area?.removeEventListener('keydown', press)
  }, [columns])

  const context = useMemo<ListContext>(
    () => ({
      now,
      movements,
      agents: new Map(agents.map(({ id, name }) => [id, name])),
      titleOf: (id) => find(boardNow(), id)?.card.title,
      readMore: (status) => void readMore(filter, status),
      actions: {
        hrefOf: (id) => `/board?task=${id}`,
        open: (id) => void navigate({ to: '/board', search: (search) => ({ ...search, task: id }) }),
      },
    }),
    [agents, filter, movements, navigate, now],
  )
  const showCancelled = (isShown: boolean) =>
    void navigate({
      to: '/board',
      search: (search) => ({ ...search, cancelled: isShown ? 'shown' : undefined }),
      replace: true,
    })

  return (
    <>
      <div
        ref={frame}
        data-behind-sheet={openTask !== undefined || undefined}
        className="relative flex min-h-0 grow snap-x snap-mandatory gap-0.5 overflow-x-auto overflow-y-hidden px-4 pb-2 max-sm:px-3 sm:snap-none sm:data-behind-sheet:scroll-pe-122"
      >
        {columns.map((status) => (
          <ColumnView
            key={status}
            status={status}
            column={board[status]}
            context={context}
            tabStop={tabStop && find(board, tabStop)?.status === status ? tabStop : undefined}
            openTask={openTask}
            action={
              status === 'cancelled' && (
                <IconButton
                  label={strings.board.hideCancelled}
                  className="ms-auto"
                  aria-expanded
                  onClick={() => showCancelled(false)}
                >
                  <FoldHorizontal size={14} aria-hidden />
                </IconButton>
              )
            }
          />
        ))}
        {!columns.includes('cancelled') && (
          <ColumnStrip status="cancelled" column={board.cancelled} onOpen={() => showCancelled(true)} />
        )}
        {openTask && <span aria-hidden className="absolute start-full top-0 h-px w-120 max-sm:hidden" />}
      </div>
      <AgentStrip askable={askable} />
    </>
  )
}
