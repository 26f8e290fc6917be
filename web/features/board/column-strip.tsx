import { useEffect, useRef, useState } from 'react'
import type { TaskStatus } from '../../../src/contract/task.ts'
import { useStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'
import type { Column } from './board.ts'
import type { Over } from './drag.ts'
import { held } from './held.ts'
import { mayGo } from './move-card.ts'
import { whenDragIsThere } from './when-drag-is-there.ts'

/** A folded column: still counts, still takes what is dropped on it. */
export function ColumnStrip({
  status,
  column,
  onOpen,
}: {
  status: TaskStatus
  column: Column
  onOpen: () => void
}) {
  const strip = useRef<HTMLButtonElement>(null)
  const [over, setOver] = useState<Over | null>(null)
  const isForbidden = useStore(held, (now) => now !== null && !mayGo(now.from, status))
  useEffect(() => {
    const target = strip.current
    if (!target) return undefined
    return whenDragIsThere((drag) => drag.makeDropColumn(target, null, status, setOver))
  }, [status])
  return (
    <button
      ref={strip}
      type="button"
      data-column={status}
      aria-expanded={false}
      title={strings.board.showCancelled}
      className={`flex w-9 shrink-0 snap-center flex-col items-center gap-2 rounded-card border border-dashed py-3 text-small font-semibold hover:bg-raise ${over ? 'border-queue bg-raise' : 'border-edge'} ${isForbidden ? 'opacity-40' : ''}`}
      onClick={onOpen}
    >
      <span className="[writing-mode:vertical-rl]">{strings.status[status]}</span>
      <span className="font-medium text-mute" data-total>
        {column.total.toLocaleString('en')}
      </span>
    </button>
  )
}
