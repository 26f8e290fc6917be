import type { Card } from '../../../src/contract/board-event.ts'
import type { Task } from '../../../src/contract/task.ts'
import { queryClient } from '../../query-client.ts'
import { taskKey } from '../task/task-cache.ts'
import { boardNow, filterShowing } from './board-view.ts'
import { find } from './board.ts'
import { fits } from './filter.ts'
import { focusCard, sight } from './focus.ts'
import { readUntil } from './read-board.ts'

/** Scrolls to a card, however far down it is, and may give it the focus. Answers whether it is on the screen. */
export async function showCard(card: Card, takesFocus = false): Promise<boolean> {
  const filter = filterShowing(card.status)
  if (!filter || fits(card, filter) === false) return false
  const isThere = await readUntil(filter, card).catch(() => false)
  if (!isThere && !(await arrival(card.id))) return false
  if (takesFocus) focusCard(card.id)
  else sight.set(card.id)
  return true
}

/** The card of the open task, behind its sheet. */
export async function showOpenTask(id: string): Promise<void> {
  const card = find(boardNow(), id)?.card ?? (await taskWhenRead(id))
  if (card) await showCard(card)
}

/** A new card comes by the stream, a moment before or after the answer that it was made. */
function arrival(id: string): Promise<boolean> {
  return untilCached(() => (find(boardNow(), id) ? true : undefined), 5000).then(Boolean)
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
