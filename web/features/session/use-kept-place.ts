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
  const place = useRef<{ key: Key; start: number } | undefined>(undefined)
  const firstBefore = useRef<Key | undefined>(undefined)
  useLayoutEffect(() => {
    const element = scroller.current
    const first = rows[0]?.key
    const before = place.current
    if (element && isReading && before && first !== firstBefore.current) {
      const at = rows.findIndex(({ key }) => key === before.key)
      const now = virtualizer.measurementsCache[at]
      if (now) {
        element.scrollTop += now.start - before.start
        // Told at once, so that what belongs there is drawn before anything is painted.
        element.dispatchEvent(new Event('scroll'))
      }
    }
    firstBefore.current = first
    const top = element?.scrollTop ?? 0
    const seen = virtualizer.getVirtualItems().find(({ end }) => end > top)
    place.current = seen && { key: seen.key, start: seen.start }
  })
}
