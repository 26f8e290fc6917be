import { useCallback, useEffect, useRef } from 'react'
import type { RefObject } from 'react'
import { useListeners } from '../../ui/use-listeners.ts'
import type { ShownTrack } from './shown-tracks.ts'
import { point } from './track-tip.tsx'
import { spanAt } from './track-words.ts'
import type { Plane } from './use-plane.ts'

interface Options {
  tracks: readonly ShownTrack[]
  plane: Plane
  hold: (isHeld: boolean) => void
}

const halfDiamond = 6

/** Tells what is pointed at. Answers with whether a place is on the line of a track that waits now. */
export function useTrackPointer(
  scroller: RefObject<HTMLElement | null>,
  { tracks, plane, hold }: Options,
): (sessionId: string, clientX: number) => boolean {
  const trackOf = (id: string | undefined) => tracks.find(({ sessionId }) => sessionId === id)
  useListeners(scroller, {
    pointerenter: () => hold(true),
    pointerleave: () => {
      hold(false)
      point(null)
    },
    scroll: () => point(null),
    pointermove: ({ target, pointerType, clientX }) => {
      const row =
        pointerType === 'mouse' && target instanceof Element
          ? target.closest<HTMLElement>('[data-track]')
          : null
      const track = row && trackOf(row.dataset['track'])
      if (!track) return point(null)
      const moment = plane.momentAt(clientX)
      const y = row.getBoundingClientRect().bottom - 10
      point({ track, now: plane.end(), x: clientX, y, ...(moment !== undefined && { moment }) })
    },
  })
  const latest = useRef({ trackOf, plane })
  useEffect(() => {
    latest.current = { trackOf, plane }
  })
  return useCallback((sessionId, clientX) => {
    const { plane: now } = latest.current
    const track = latest.current.trackOf(sessionId)
    if (track?.state !== 'waits' || now.momentAt(clientX) === undefined) return false
    // What has just been asked is less than a pixel wide: its diamond is hit, too.
    return spanAt(track, now.momentAt(clientX + halfDiamond) ?? now.end())?.to === null
  }, [])
}
