import type { Card } from '../../../src/contract/board-event.ts'
import type { Task } from '../../../src/contract/task.ts'
import { createStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'
import { announce } from '../../ui/announce.tsx'
import { toast } from '../../ui/toast.tsx'
import { find, place } from './board.ts'
import type { Board } from './board.ts'
import { takeTask } from './follow-board.ts'

interface Change {
  id: string
  change: Partial<Card>
}

/** What was done here and not yet answered. It lies over what the server told, so taking it off is the way back. */
export const changes = createStore<readonly Change[]>([])

let sending: Promise<unknown> = Promise.resolve()

/** Shows a change at once and sends it after the ones before it. A refusal takes it back and says why. */
export async function submit(
  card: Pick<Card, 'id' | 'title'>,
  change: Partial<Card>,
  send: () => Promise<Task>,
): Promise<Task | undefined> {
  const entry = { id: card.id, change }
  changes.set((all) => [...all, entry])
  const answer = sending.then(send)
  sending = answer.catch(() => {})
  try {
    const task = await answer
    takeTask(task)
    return task
  } catch (error) {
    const say = change.position === undefined ? strings.board.notChanged : strings.board.cannotMove
    const text = say(card.title, error instanceof Error ? error.message : '')
    toast(text, { isProblem: true })
    announce(text)
    return undefined
  } finally {
    changes.set((all) => all.filter((other) => other !== entry))
  }
}

/** The board with the changes under way lying over it. */
export function withChanges(board: Board, all: readonly Change[]): Board {
  let next = board
  for (const { id, change } of all) {
    const known = find(next, id)
    if (known) next = place(next, { ...known.card, ...change })
  }
  return next
}

export function withOwnChanges<Kind extends Card>(card: Kind, all: readonly Change[]): Kind {
  const own = all.filter(({ id }) => id === card.id)
  return own.length === 0 ? card : Object.assign({}, card, ...own.map(({ change }) => change))
}
