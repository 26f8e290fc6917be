import { roomStrings } from '../../room-strings.ts'
import { useTaskTitle } from '../task/task-queries.ts'

export function TaskTitle({ id }: { id: string }) {
  const task = useTaskTitle(id)
  if (task === null) return roomStrings.execution.deletedTask
  return <bdi>{task?.title}</bdi>
}
