import { MoreHorizontal } from 'lucide-react'
import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Card } from '../../../src/contract/board-event.ts'
import { part } from '../../part.tsx'
import { useStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'
import { CardFace } from './card.tsx'
import { focus, sight } from './focus.ts'
import { held } from './held.ts'
import type { Edge } from './held.ts'
import type { Moves } from './live-tasks.ts'
import { menuFor } from './menu-for.ts'
import { whenDragIsThere } from './when-drag-is-there.ts'

const MoveMenu = part(() => import('./move-menu.tsx'))

export interface CardActions {
  open: (id: string) => void
  hrefOf: (id: string) => string
}
interface Props {
  card: Card
  isTabStop: boolean
  isOpen: boolean
  agentName: string | undefined
  parentTitle: string | undefined
  now: number
  moves: Moves | undefined
  actions: CardActions
}

/** A card that can be focused, opened, dragged and moved. */
export const CardRow = memo(function CardRow({ card, isTabStop, isOpen, actions, ...face }: Props) {
  const row = useRef<HTMLDivElement>(null)
  const link = useRef<HTMLAnchorElement>(null)
  const [edge, setEdge] = useState<Edge | null>(null)
  const isHeld = useStore(held, (now) => now?.id === card.id)
  const isWanted = useStore(focus, ({ wanted }) => wanted === card.id)
  const isSought = useStore(sight, (sought) => sought === card.id)
  const hasMenu = useStore(menuFor, (id) => id === card.id)
  const { id, status } = card

  useEffect(() => {
    const [handle, target] = [link.current, row.current]
    if (!handle || !target) return undefined
    return whenDragIsThere((drag) => drag.makeDraggable(handle, target, { id, status }, setEdge))
  }, [id, status])

  useLayoutEffect(() => {
    if (!isWanted) return
    link.current?.focus({ preventScroll: true })
    link.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    focus.set({ id, wanted: null })
  }, [isWanted, id])

  useLayoutEffect(() => {
    if (!isSought) return
    link.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    sight.set(null)
  }, [isSought])

  useLayoutEffect(() => {
    const element = link.current
    // A card that moves to another column is drawn anew there: the focus follows it.
    return () => {
      if (document.activeElement === element) focus.set({ id, wanted: id })
    }
  }, [id])

  return (
    <div ref={row} className="group relative pb-1.75">
      <a
        ref={link}
        href={actions.hrefOf(id)}
        data-card={id}
        tabIndex={isTabStop ? 0 : -1}
        aria-current={isOpen || undefined}
        aria-keyshortcuts="m s Alt+ArrowUp Alt+ArrowDown Alt+ArrowLeft Alt+ArrowRight"
        className={`block rounded-card border bg-panel px-2.5 py-2 [-webkit-touch-callout:none] ${isOpen ? 'border-control' : face.moves?.movement === 'waits' ? 'border-wait' : 'border-line hover:border-edge'} ${isHeld ? 'opacity-40' : ''}`}
        // A card that is wanted but not drawn yet stays wanted: a window that closes gives the focus back to the last one first.
        onFocus={() => focus.set((now) => (now.id === id ? now : { ...now, id }))}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          actions.open(id)
        }}
      >
        <CardFace card={card} {...face} />
      </a>
      <button
        type="button"
        tabIndex={-1}
        aria-label={strings.board.moreOf(card.title)}
        title={strings.board.moveTo}
        className={`absolute end-1.5 top-1.5 size-6 items-center justify-center ${isHeld ? 'hidden' : 'flex'} rounded-small bg-panel text-mute opacity-0 group-hover:opacity-100 hover:bg-raise hover:text-text max-sm:opacity-100`}
        onClick={() => menuFor.set(id)}
      >
        <MoreHorizontal size={14} aria-hidden />
      </button>
      {hasMenu && <MoveMenu card={card} />}
      {edge && (
        <span
          data-drop-line
          className={`pointer-events-none absolute inset-x-0 h-0.5 rounded-full bg-queue ${edge === 'top' ? '-top-1.25' : 'bottom-0.5'}`}
        />
      )}
    </div>
  )
})
