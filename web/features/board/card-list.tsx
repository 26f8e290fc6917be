import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useMemo } from 'react'
import type { RefObject } from 'react'
import type { TaskStatus } from '../../../src/contract/task.ts'
import { useStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'
import { isWhole } from './board.ts'
import type { Column } from './board.ts'
import { CardRow } from './card-row.tsx'
import type { CardActions } from './card-row.tsx'
import { focus, sight } from './focus.ts'
import { held } from './held.ts'
import type { Movements } from './live-tasks.ts'

export interface ListContext {
  actions: CardActions
  agents: ReadonlyMap<string, string>
  titleOf: (id: string) => string | undefined
  readMore: (status: TaskStatus) => void
  now: number
  movements: Movements
}
interface Props {
  status: TaskStatus
  column: Column
  context: ListContext
  scroller: RefObject<HTMLDivElement | null>
  tabStop: string | undefined
  openTask: string | undefined
  /** A card held over the free space would land below the last one. */
  takesAtEnd: boolean
}

const readAhead = 30

/** Draws only the cards in sight, and the ones that must not vanish: focused, in the hand, or looked for. */
export function CardList({ status, column, context, scroller, tabStop, openTask, takesAtEnd }: Props) {
  const { cards } = column
  const focusedId = useStore(focus, ({ id }) => id)
  const heldId = useStore(held, (now) => now?.id)
  const wantedId = useStore(focus, ({ wanted }) => wanted)
  const soughtId = useStore(sight)
  const shownId = wantedId ?? soughtId
  const [focusedAt = -1, heldAt = -1, shownAt = -1] = useMemo(
    () => [focusedId, heldId, shownId].map((wanted) => cards.findIndex(({ id }) => id === wanted)),
    [cards, focusedId, heldId, shownId],
  )
  const virtualizer = useVirtualizer({
    count: cards.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => cards[index]?.id ?? index,
    estimateSize: () => 69,
    overscan: 8,
    rangeExtractor: (range) => {
      const drawn = new Set(defaultRangeExtractor(range))
      for (const index of [focusedAt, heldAt, shownAt]) if (index >= 0) drawn.add(index)
      return [...drawn].toSorted((one, other) => one - other)
    },
  })
  useLayoutEffect(() => {
    // The row scrolls to where it is drawn; this goes on until the rows around it have found their real heights.
    if (shownAt >= 0) virtualizer.scrollToIndex(shownAt, { align: 'auto' })
  }, [virtualizer, shownAt])
  const items = virtualizer.getVirtualItems()
  const lastDrawn = items.at(-1)?.index ?? 0
  const wantsMore = !isWhole(column) && lastDrawn >= cards.length - readAhead

  const { readMore } = context
  useEffect(() => {
    if (wantsMore) readMore(status)
  }, [wantsMore, readMore, status, cards.length])

  return (
    <div
      ref={scroller}
      className="min-h-0 grow overflow-y-auto overscroll-contain px-1 pt-1 [scrollbar-gutter:stable]"
    >
      {cards.length === 0 && (
        <p className="px-1.5 py-2 text-small text-mute">{strings.board.emptyColumn[status]}</p>
      )}
      <ul className="relative" style={{ blockSize: virtualizer.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const card = cards[index]
          if (!card) return null
          return (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-setsize={column.total}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <CardRow
                card={card}
                isTabStop={card.id === tabStop}
                isOpen={card.id === openTask}
                agentName={card.assigneeAgentId ? context.agents.get(card.assigneeAgentId) : undefined}
                parentTitle={card.parentTaskId ? context.titleOf(card.parentTaskId) : undefined}
                now={context.now}
                moves={context.movements.get(card.id)}
                actions={context.actions}
              />
            </li>
          )
        })}
      </ul>
      {takesAtEnd && (
        <span
          data-drop-line
          className="pointer-events-none relative -top-1 block h-0.5 rounded-full bg-queue"
        />
      )}
    </div>
  )
}
