import { useRef } from 'react'
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react'
import { useStore } from '../../store.ts'
import { roomStrings } from '../../strings/room.ts'
import { changePanel, leastBeside, leastPanel, panel } from './panel.ts'

const step = 32

/** What stands beside a conversation, as wide as it was left. */
export function SidePanel({ label, children }: { label: string; children: ReactNode }) {
  const place = useRef<HTMLElement>(null)
  const width = useStore(panel, (now) => now.width)
  const most = () => Math.max(leastPanel, (place.current?.parentElement?.clientWidth ?? 1200) - leastBeside)
  const widen = (wanted: number) =>
    changePanel({ width: Math.round(Math.min(most(), Math.max(leastPanel, wanted))) })

  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || !place.current) return
    const { left, right } = place.current.getBoundingClientRect()
    const isRightToLeft = getComputedStyle(place.current).direction === 'rtl'
    widen(isRightToLeft ? event.clientX - left : right - event.clientX)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const isRightToLeft = place.current && getComputedStyle(place.current).direction === 'rtl'
    const outwards = isRightToLeft ? 'ArrowRight' : 'ArrowLeft'
    const inwards = isRightToLeft ? 'ArrowLeft' : 'ArrowRight'
    if (event.key !== outwards && event.key !== inwards) return
    event.preventDefault()
    widen(width + (event.key === outwards ? step : -step))
  }
  return (
    <>
      <div
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- one that is moved is a control, which hr is not
        role="separator"
        aria-orientation="vertical"
        aria-label={roomStrings.panelWidth}
        aria-valuemin={leastPanel}
        aria-valuenow={width}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it is moved with the keyboard
        tabIndex={0}
        className="relative z-10 -mx-1 w-2 shrink-0 cursor-col-resize touch-none after:absolute after:inset-y-0 after:start-1 after:w-px after:bg-line hover:after:bg-control focus-visible:outline-none focus-visible:after:w-0.5 focus-visible:after:bg-queue"
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={onKeyDown}
      />
      <aside
        ref={place}
        aria-label={label}
        data-panel
        className="flex min-h-0 shrink-0 flex-col"
        style={{ inlineSize: width, maxInlineSize: `calc(100% - ${leastBeside}px)` }}
      >
        {children}
      </aside>
    </>
  )
}
