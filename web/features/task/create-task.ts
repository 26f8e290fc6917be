import type { CreateTask, Task } from '../../../src/contract/task.ts'
import { api } from '../../api.ts'
import { strings } from '../../strings.ts'
import { announce } from '../../ui/announce.tsx'
import { toast } from '../../ui/toast.tsx'
import { isWhole } from '../board/board.ts'
import { boardNow } from '../board/board-view.ts'

/** Puts a task on the board. It arrives there by the stream, like everybody else's. */
export async function createTask(
  wanted: Partial<CreateTask> & { title: string },
  open: (id: string) => void,
): Promise<Task | undefined> {
  try {
    const task = await api.create(wanted)
    const text = strings.board.added(task.title, strings.status[task.status])
    announce(text)
    // The end of a long column is out of sight, so the new card needs another way to be reached.
    if (!isWhole(boardNow()[task.status]))
      toast(text, { action: { label: strings.board.open, run: () => open(task.id) } })
    return task
  } catch (error) {
    toast(error instanceof Error ? error.message : '', { isProblem: true })
    return undefined
  }
}
