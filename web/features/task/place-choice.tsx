import { useQuery } from '@tanstack/react-query'
import type { Task } from '../../../src/contract/task.ts'
import { roomApi } from '../../room-api.ts'
import { taskStrings } from '../../strings/task.ts'
import { Choices } from '../../ui/menu.tsx'
import { valueLook } from './properties.tsx'

interface Props {
  task: Task
  onChoose: (workspaceId: string | null) => void
}

/** In which workspace agents work on a task. Worktrees belong to their sessions, and are not offered. */
export function PlaceChoice({ task, onChoose }: Props) {
  const { data = [] } = useQuery({
    queryKey: ['workspaces', 'for tasks'],
    queryFn: ({ signal }) => roomApi.workspaces({ pageSize: 100 }, signal),
    staleTime: 10_000,
  })
  const offered = data.filter(({ id, parentId }) => parentId === null || id === task.workspaceId)
  const chosen = data.find(({ id }) => id === task.workspaceId)
  return (
    <Choices
      label={taskStrings.place}
      value={task.workspaceId ?? ''}
      choices={[
        { value: '', label: taskStrings.usualPlace },
        ...offered.map(({ id, name }) => ({ value: id, label: <bdi dir="auto">{name}</bdi> })),
      ]}
      onChoose={(id) => onChoose(id || null)}
    >
      <button type="button" className={valueLook}>
        <bdi dir="auto" className="truncate">
          {chosen?.name ?? taskStrings.usualPlace}
        </bdi>
      </button>
    </Choices>
  )
}
