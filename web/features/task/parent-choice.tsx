import { getRouteApi } from '@tanstack/react-router'
import { ArrowUpRight, X } from 'lucide-react'
import type { Task } from '../../../src/contract/task.ts'
import { taskStrings } from '../../strings/task.ts'
import { strings } from '../../strings/page.ts'
import { IconButton } from '../../ui/button.tsx'
import { valueLook } from './properties.tsx'
import { TaskPicker } from './task-picker.tsx'
import { useTaskTitle } from './task-queries.ts'

const route = getRouteApi('/board')

export function ParentChoice({
  task,
  onChoose,
}: {
  task: Task
  onChoose: (parentId: string | null) => void
}) {
  const navigate = route.useNavigate()
  const { parentTaskId } = task
  return (
    <>
      <TaskPicker
        label={taskStrings.pickParent}
        isOffered={(other) => other.id !== task.id && other.id !== parentTaskId}
        onPick={(parent) => onChoose(parent.id)}
      >
        <button type="button" className={valueLook}>
          {parentTaskId ? (
            <ParentTitle id={parentTaskId} />
          ) : (
            <span className="text-mute">{taskStrings.noParent}</span>
          )}
        </button>
      </TaskPicker>
      {parentTaskId && (
        <>
          <IconButton
            label={strings.board.open}
            onClick={() => void navigate({ to: '/board', search: (now) => ({ ...now, task: parentTaskId }) })}
          >
            <ArrowUpRight size={14} aria-hidden />
          </IconButton>
          <IconButton label={taskStrings.makeTopLevel} onClick={() => onChoose(null)}>
            <X size={14} aria-hidden />
          </IconButton>
        </>
      )}
    </>
  )
}

function ParentTitle({ id }: { id: string }) {
  const parent = useTaskTitle(id)
  return (
    <bdi dir="auto" className="truncate">
      {parent?.title ?? strings.loading}
    </bdi>
  )
}
