import { X } from 'lucide-react'
import type { Task } from '../../../src/contract/task.ts'
import { roomApi } from '../../room-api.ts'
import { taskStrings } from '../../strings/task.ts'
import { strings } from '../../strings/page.ts'
import { IconButton } from '../../ui/button.tsx'
import { submit } from '../board/changes.ts'
import { Section } from './section.tsx'
import { TaskLine } from './task-line.tsx'
import { TaskPicker } from './task-picker.tsx'
import { useTaskTitle } from './task-queries.ts'

/** The tasks that must be done before this one. The server refuses a circle, and says so. */
export function Dependencies({ task }: { task: Task }) {
  const { id, dependsOnTaskIds } = task
  const change = (ids: string[], send: () => Promise<Task>) =>
    void submit(task, { dependsOnTaskIds: ids }, send)
  const add = (other: string) => change([...dependsOnTaskIds, other], () => roomApi.addDependency(id, other))
  const remove = (other: string) =>
    change(
      dependsOnTaskIds.filter((each) => each !== other),
      () => roomApi.removeDependency(id, other),
    )
  return (
    <Section title={taskStrings.dependencies} count={dependsOnTaskIds.length}>
      <ul className="-mx-1.5">
        {dependsOnTaskIds.map((other) => (
          <Dependency key={other} id={other} onRemove={() => remove(other)} />
        ))}
      </ul>
      <TaskPicker
        label={taskStrings.addDependency}
        isOffered={(other) => other.id !== id && !dependsOnTaskIds.includes(other.id)}
        onPick={(other) => add(other.id)}
      >
        <button
          type="button"
          className="-mx-1.5 h-7 rounded-control px-1.5 text-mute hover:bg-raise hover:text-text max-sm:h-9"
        >
          {taskStrings.addDependency}
        </button>
      </TaskPicker>
    </Section>
  )
}

function Dependency({ id, onRemove }: { id: string; onRemove: () => void }) {
  const task = useTaskTitle(id)
  const title = task?.title ?? strings.loading
  return (
    <TaskLine task={{ id, title, status: task?.status ?? 'todo' }}>
      <IconButton label={taskStrings.removeDependency(title)} onClick={onRemove}>
        <X size={14} aria-hidden />
      </IconButton>
    </TaskLine>
  )
}
