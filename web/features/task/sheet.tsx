import { getRouteApi } from '@tanstack/react-router'
import { Play, X } from 'lucide-react'
import { useCallback, useEffect, useRef } from 'react'
import type { Task } from '../../../src/contract/task.ts'
import { askStrings } from '../../strings/ask.ts'
import { taskStrings } from '../../strings/task.ts'
import { strings } from '../../strings/page.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { focusCard } from '../board/focus.ts'
import { useKeys } from '../shell/keys.ts'
import { openWindow } from '../shell/windows.tsx'
import { Dependencies } from './dependencies.tsx'
import { DraftField, SavedState } from './draft-field.tsx'
import { History } from './history.tsx'
import { Properties } from './properties.tsx'
import { Subtasks } from './subtasks.tsx'
import { TaskExecutions } from './task-executions.tsx'
import { TaskMenu } from './task-menu.tsx'
import { useTask } from './task-queries.ts'
import { useDraft } from './use-draft.ts'

const route = getRouteApi('/board')

/** A task, open beside the board, which stays usable: another card opens in its place. */
export default function TaskSheet({ id }: { id: string }) {
  const panel = useRef<HTMLElement>(null)
  const navigate = route.useNavigate()
  const { task, error } = useTask(id)
  const close = useCallback(() => {
    void navigate({ to: '/board', search: (now) => ({ ...now, task: undefined }) })
    focusCard(id)
  }, [navigate, id])
  useKeys({ Escape: close })
  useEffect(() => panel.current?.focus({ preventScroll: true }), [])
  useEffect(() => {
    const element = panel.current
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      event.preventDefault()
      close()
    }
    element?.addEventListener('keydown', press)
    return () => element?.removeEventListener('keydown', press)
  }, [close])

  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-label={task?.title ?? taskStrings.heading}
      className="absolute inset-y-0 end-0 z-20 flex w-120 max-w-full flex-col border-s border-edge bg-panel shadow-float outline-none max-sm:w-full max-sm:border-s-0"
    >
      {task && <OpenTask task={task} close={close} />}
      {!task && (task === null || error) && (
        <Empty
          title={error ? taskStrings.unread : taskStrings.gone}
          text={error?.message ?? taskStrings.goneText}
        >
          <Button onClick={close}>{strings.task.backToBoard}</Button>
        </Empty>
      )}
    </aside>
  )
}

function OpenTask({ task, close }: { task: Task; close: () => void }) {
  const title = useDraft(task, 'title')
  const description = useDraft(task, 'description')
  return (
    <>
      <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line ps-4 pe-2.5">
        <SavedState drafts={[title, description]} />
        <span className="ms-auto" />
        <Button aria-label={askStrings.start} onClick={() => openWindow({ name: 'ask', task })}>
          <Play size={13} aria-hidden /> {askStrings.startShort}
        </Button>
        <TaskMenu task={task} onDeleted={close} />
        <IconButton label={strings.close} onClick={close}>
          <X size={16} aria-hidden />
        </IconButton>
      </header>
      <div className="flex min-h-0 grow flex-col gap-4 overflow-y-auto p-3">
        <DraftField
          draft={title}
          label={taskStrings.title}
          hint={taskStrings.titleHint}
          maxLength={500}
          isOneLine
          className="text-title font-semibold wrap-anywhere"
        />
        <Properties task={task} />
        <DraftField
          draft={description}
          label={taskStrings.description}
          hint={taskStrings.descriptionHint}
          maxLength={100_000}
          className="min-h-24 wrap-anywhere"
        />
        <Subtasks task={task} />
        <Dependencies task={task} />
        <TaskExecutions taskId={task.id} />
        <History task={task} />
      </div>
    </>
  )
}
