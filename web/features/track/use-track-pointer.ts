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
    const track = latest.current.trackOf(sessionId)
    const moment = latest.current.plane.momentAt(clientX)
    if (track?.state !== 'waits' || moment === undefined) return false
    return spanAt(track, moment)?.to === null
  }, [])
}
