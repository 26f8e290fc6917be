import { memo, useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import type { TaskStatus } from '../../../src/contract/task.ts'
import { useStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'
import type { Column } from './board.ts'
import { CardList } from './card-list.tsx'
import type { ListContext } from './card-list.tsx'
import type { Over } from './drag.ts'
import { held } from './held.ts'
import { mayGo, whereItMayGo } from './move-card.ts'
import { QuickAdd } from './quick-add.tsx'
import { whenDragIsThere } from './when-drag-is-there.ts'

interface Props {
  status: TaskStatus
  column: Column
  context: ListContext
  tabStop: string | undefined
  openTask: string | undefined
  /** Stands beside the heading. */
  action?: ReactNode
}

export const ColumnView = memo(function ColumnView({
  status,
  column,
  context,
  tabStop,
  openTask,
  action,
}: Props) {
  const box = useRef<HTMLElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const [over, setOver] = useState<Over | null>(null)
  const heldFrom = useStore(held, (now) => now?.from)
  const heldId = useStore(held, (now) => now?.id)
  const isForbidden = heldFrom !== undefined && !mayGo(heldFrom, status)
  const name = strings.status[status]

  useEffect(() => {
    const target = box.current
    if (!target) return undefined
    return whenDragIsThere((drag) => drag.makeDropColumn(target, scroller.current, status, setOver))
  }, [status])

  return (
    <section
      ref={box}
      data-column={status}
      aria-label={strings.board.column(name, column.total)}
      className={`relative flex min-h-0 min-w-60 flex-1 basis-0 snap-center flex-col rounded-card max-sm:min-w-[84vw] ${over && !isForbidden ? 'bg-raise/60' : ''}`}
    >
      <h2 className="flex h-8 shrink-0 items-center gap-2 px-2 text-small font-semibold">
        {name}
        <span className="font-medium text-mute" data-total>
          {column.total.toLocaleString('en')}
        </span>
        {action}
      </h2>
      <CardList
        status={status}
        column={column}
        context={context}
        scroller={scroller}
        tabStop={tabStop}
        openTask={openTask}
        takesAtEnd={over === 'end' && !isForbidden && column.cards.at(-1)?.id !== heldId}
      />
      <QuickAdd status={status} open={context.actions.open} />
      {isForbidden && (
        <div
          data-forbidden
          className="pointer-events-none absolute inset-0 flex items-start justify-center rounded-card bg-ground/80 px-3 pt-12"
        >
          <p className="rounded-control border border-edge bg-panel px-3 py-2 text-center text-small text-balance text-soft shadow-float">
            {whereItMayGo(heldFrom)}
          </p>
        </div>
      )}
    </section>
  )
})
