import { useLayoutEffect, useMemo, useState } from 'react'
import type { RefObject } from 'react'
import type { Scale } from './draw-track.ts'
import type { ShownTracks } from './shown-tracks.ts'
import { windowMs } from './use-tracks.ts'

export interface Plane {
  scale: Scale
  /** The moment at its right edge. */
  end: () => number
  /** The moment at a place of the screen; nothing beside the plane. */
  momentAt: (clientX: number) => number | undefined
}

const hour = 3_600_000

/**
 * Where moments are, on a plane that moves left as time goes by: what is drawn stays as it is, and only `--shift` of the element
 * around it changes.
 */
export function usePlane(
  around: RefObject<HTMLElement | null>,
  axis: RefObject<HTMLElement | null>,
  { until, ahead }: ShownTracks,
  isLive: boolean,
): Plane {
  const [width, setWidth] = useState(800)
  // Drawn anew once an hour: what lasts is drawn a day far.
  const anchor = Math.floor(until / hour) * hour
  const scale = useMemo(() => ({ anchor, msPerPixel: windowMs / width }), [anchor, width])
  const end = () => (isLive ? Date.now() - ahead : until)

  useLayoutEffect(() => {
    if (!axis.current) return
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.max(1, entry.contentRect.width)))
    observer.observe(axis.current)
    return () => observer.disconnect()
  }, [axis])

  // Not with every render: everything within the element is styled anew when it changes.
  const fixed = isLive ? undefined : until
  useLayoutEffect(() => {
    const move = () => place(around.current, fixed ?? Date.now() - ahead, scale, width)
    move()
    if (fixed !== undefined) return
    const timer = setInterval(move, 1000)
    return () => clearInterval(timer)
  }, [around, ahead, fixed, scale, width])

  const momentAt = (clientX: number) => {
    const edges = axis.current?.getBoundingClientRect()
    if (!edges || clientX < edges.left || clientX > edges.right) return undefined
    return end() - (edges.right - clientX) * scale.msPerPixel
  }
  return { scale, end, momentAt }
}

function place(element: HTMLElement | null, end: number, { anchor, msPerPixel }: Scale, width: number): void {
  element?.style.setProperty('--shift', `${(width - (end - anchor) / msPerPixel).toFixed(2)}px`)
}
