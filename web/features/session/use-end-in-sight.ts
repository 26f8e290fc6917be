import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'

/** Whoever comes to rest closer to the end than this wants to see it. */
const NEAR = 40

interface Wanted {
  scroller: RefObject<HTMLElement | null>
  /** How much was said until now. */
  said: number
  /** Grows with everything that is sent from here: that is wanted in sight, wherever one was. */
  sent: number
}

/** Keeps the end of a conversation in sight until somebody scrolls up; from then on nothing moves what is read. */
export function useEndInSight({ scroller, said, sent }: Wanted) {
  /** How much had been said when the end was left; what is sent afterwards leads back to it. */
  const [leaving, setLeaving] = useState<{ said: number; sent: number } | null>(null)
  const left = leaving?.sent === sent ? leaving.said : null
  const follows = useRef(true)
  /** Where it was put, or seen, last. */
  const last = useRef(0)

  const toTheEnd = useCallback(() => {
    follows.current = true
    const element = scroller.current
    if (!element) return
    element.scrollTo({ top: element.scrollHeight, behavior: 'instant' })
    last.current = element.scrollTop
  }, [scroller])
  const follow = () => {
    setLeaving(null)
    toTheEnd()
  }

  /** Nothing but a person moves it up, except that what gets shorter takes its end along. */
  const keepUp = () => {
    const element = scroller.current
    if (!element || !follows.current) return
    last.current = Math.min(last.current, element.scrollHeight - element.clientHeight)
    if (element.scrollTop < last.current - 1) {
      follows.current = false
      setLeaving({ said, sent })
    } else if (below(element) > 1) toTheEnd()
  }
  const latest = useRef(keepUp)
  useLayoutEffect(() => {
    latest.current = keepUp
    latest.current()
  })
  useLayoutEffect(toTheEnd, [sent, toTheEnd])
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const watcher = new ResizeObserver(() => latest.current())
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [scroller])

  const onScroll = () => {
    const element = scroller.current
    if (!element) return
    if (follows.current) return keepUp()
    const isBack = below(element) < 1 || (below(element) < NEAR && element.scrollTop > last.current)
    last.current = element.scrollTop
    if (isBack) follow()
  }
  /** A nudge has left nothing. */
  const onScrollEnd = () => {
    if (scroller.current && !follows.current && below(scroller.current) < NEAR) follow()
  }
  return { left, follow, onScroll, onScrollEnd }
}

const below = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement) =>
  scrollHeight - scrollTop - clientHeight
