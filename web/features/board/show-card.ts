import type { Task } from '../../../src/contract/task.ts'
import { queryClient } from '../../query-client.ts'
import { taskKey } from '../task/task-cache.ts'
import { boardNow, filterShowing } from './board-view.ts'
import { find } from './board.ts'
import { focusCard, sight } from './focus.ts'
import { readUntil } from './read-board.ts'

/** Scrolls to a card, however far down it is, and may give it the focus. Answers whether it is on the screen. */
export async function showCard(task: Pick<Task, 'id' | 'status'>, takesFocus = false): Promise<boolean> {
  const filter = filterShowing(task.status)
  if (!filter) return false
  const isThere = await readUntil(filter, task).catch(() => false)
  if (!isThere && !(await arrival(task.id))) return false
  if (takesFocus) focusCard(task.id)
  else sight.set(task.id)
  return true
}

/** The card of the open task, behind its sheet. */
export async function showOpenTask(id: string): Promise<void> {
  const known = find(boardNow(), id) ?? (await taskWhenRead(id))
  if (known) await showCard({ id, status: known.status })
}

/** A new card comes by the stream, a moment before or after the answer that it was made. */
function arrival(id: string): Promise<boolean> {
  return untilCached(() => (find(boardNow(), id) ? true : undefined), 1500).then(Boolean)
}

const taskWhenRead = (id: string) =>
  untilCached(() => queryClient.getQueryData<Task | null>(taskKey(id)), 10_000)

function untilCached<Value>(look: () => Value | undefined, ms: number): Promise<Value | undefined> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      stop()
      resolve(look())
    }
    const timer = setTimeout(end, ms)
    const stop = queryClient.getQueryCache().subscribe(() => look() !== undefined && end())
    if (look() !== undefined) end()
  })
}
