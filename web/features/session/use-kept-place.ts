import type { Virtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef } from 'react'
import type { Key, RefObject } from 'react'
import type { Row } from './transcript-row.ts'

interface Wanted {
  scroller: RefObject<HTMLElement | null>
  virtualizer: Virtualizer<HTMLElement, Element>
  rows: readonly Row[]
  /** The end is not followed: whatever is read stays where it is. */
  isReading: boolean
}

/** Rows that come or go before the first one must not move those that are being read. */
export function useKeptPlace({ scroller, virtualizer, rows, isReading }: Wanted): void {
  /** The first row in sight, and how far it is from the top. */
  const place = useRef<{ key: Key; offset: number } | undefined>(undefined)
  const firstBefore = useRef<Key | undefined>(undefined)
  /** Where it was put: rows that are new turn out to be of another size than was thought, so it is put there again until somebody moves it. */
  const held = useRef<number | null>(null)
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const first = rows[0]?.key
    const hasChanged = first !== firstBefore.current
    firstBefore.current = first
    const isHeld = held.current !== null && Math.abs(held.current - element.scrollTop) <= 1
    if (isReading && place.current && (hasChanged || isHeld)) {
      const { key, offset } = place.current
      const now = virtualizer.measurementsCache[rows.findIndex((row) => row.key === key)]
      if (!now) return
      if (Math.abs(now.start - offset - element.scrollTop) > 1) {
        element.scrollTo({ top: now.start - offset, behavior: 'instant' })
        // Told at once, so that what belongs there is drawn before anything is painted.
        element.dispatchEvent(new Event('scroll'))
      }
      held.current = element.scrollTop
      return
    }
    held.current = null
    const top = element.scrollTop
    const seen = virtualizer.getVirtualItems().find(({ end }) => end > top)
    place.current = seen && { key: seen.key, offset: seen.start - top }
  })
}
