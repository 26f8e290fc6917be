import type { CreateTask, Task } from '../../../src/contract/task.ts'
import { api } from '../../api.ts'
import { strings } from '../../strings/page.ts'
import { announce } from '../../ui/announce.tsx'
import { toast } from '../../ui/toast.tsx'
import { showCard } from '../board/show-card.ts'

/** Puts a task on the board. It arrives there by the stream, like everybody else's. */
export async function createTask(wanted: Partial<CreateTask> & { title: string }): Promise<Task | undefined> {
  try {
    const task = await api.create(wanted)
    announce(added(task))
    return task
  } catch (error) {
    toast(error instanceof Error ? error.message : '', { isProblem: true })
    return undefined
  }
}

/** Scrolls to a new card. Behind a filter, in a folded column or from another room it is told and can be opened. */
export async function showNewTask(
  task: Task,
  open: (id: string) => void,
  takesFocus: 'takes focus' | 'leaves focus',
): Promise<void> {
  const isShown = await showCard(task, takesFocus === 'takes focus')
  if (!isShown) toast(added(task), { action: { label: strings.board.open, run: () => open(task.id) } })
}

const added = ({ title, status }: Task) => strings.board.added(title, strings.status[status])
