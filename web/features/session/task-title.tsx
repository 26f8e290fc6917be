import { executionStrings } from '../../strings/execution.ts'
import { useTaskTitle } from '../task/task-queries.ts'

export function TaskTitle({ id }: { id: string }) {
  const task = useTaskTitle(id)
  if (task === null) return executionStrings.deletedTask
  return <bdi>{task?.title}</bdi>
}
