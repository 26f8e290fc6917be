import type { TaskStatus } from './task.ts'

/** Where a task may go from each status. In a file without zod, because the board in the browser needs it too. */
export const taskMoves: Record<TaskStatus, readonly TaskStatus[]> = {
  todo: ['in_progress', 'cancelled', 'blocked'],
  in_progress: ['done', 'blocked', 'cancelled', 'todo'],
  blocked: ['todo', 'in_progress', 'cancelled'],
  done: ['todo'],
  cancelled: ['todo'],
}
