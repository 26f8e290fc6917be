import { useEffect, useRef } from 'react'
import type { RefObject } from 'react'

type Listeners = { [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void }

/** Hears what happens within an element that is itself nothing to act on. */
export function useListeners(element: RefObject<HTMLElement | null>, listeners: Listeners): void {
  const latest = useRef(listeners)
  useEffect(() => {
    latest.current = listeners
  })
  useEffect(() => {
    const place = element.current
    if (!place) return
    const hear = (event: Event) =>
      (latest.current[event.type as keyof Listeners] as ((event: Event) => void) | undefined)?.(event)
    const names = Object.keys(latest.current)
    for (const name of names) place.addEventListener(name, hear)
    return () => {
      for (const name of names) place.removeEventListener(name, hear)
    }
  }, [element])
}
