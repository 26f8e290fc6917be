import type { Card } from '#contract/board-event.ts'
import { taskMoves } from '#contract/task-moves.ts'
import type { EditTask, Task, TaskStatus } from '#contract/task.ts'
import { Problem } from './problem.ts'

/** A task's depth counts its ancestors. */
const deepestTask = 3

/** Throws unless a task may go from one status to the other. Staying where it is, is always fine. */
export function checkMove(from: TaskStatus, to: TaskStatus): void {
  const allowed = taskMoves[from]
  if (from === to || allowed.includes(to)) return
  throw new Problem(
    'task_move_forbidden',
    `A task that is ${from} cannot become ${to}; it can become ${allowed.join(' or ')}`,
    { from, to, allowed },
  )
}

/** The depth below a parent, for a task that carries `below` levels of subtasks with it. */
export function depthBelow(parent: Pick<Task, 'id' | 'depth'> | null, below = 0): number {
  const depth = parent ? parent.depth + 1 : 0
  if (depth + below > deepestTask)
    throw new Problem(
      'task_too_deep',
      `Subtasks can be nested ${deepestTask} deep, and this would be deeper`,
      {
        limit: deepestTask,
      },
    )
  return depth
}

/** The fields that an edit really changes. */
export function changedFields(task: Task, edit: EditTask): (keyof EditTask)[] {
  const fields = Object.keys(edit) as (keyof EditTask)[]
  return fields.filter((field) => edit[field] !== undefined && edit[field] !== task[field])
}

/** What the board's readers need of a task: its description, which may be long, only where it was written. */
export function asCard({ description, ...card }: Task, withDescription = false): Card {
  return withDescription ? { ...card, description } : card
}
