import { useState } from 'react'
import type { RefObject } from 'react'
import { useListeners } from '../../ui/use-listeners.ts'
import type { ShownTrack } from './shown-tracks.ts'
import { point } from './track-tip.tsx'

interface Options {
  tracks: readonly ShownTrack[]
  hold: (isHeld: boolean) => void
  /** Scrolls a track into sight. */
  show: (index: number) => void
  answer: (sessionId: string | null) => void
  end: () => number
}

const rowOf = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>('[data-track]') : null
const sessionOf = (target: EventTarget | null) =>
  rowOf(target)?.dataset['track'] ??
  (target instanceof Element
    ? target.closest<HTMLElement>('[data-answer-here]')?.dataset['answerHere']
    : undefined)

/** From track to track by keyboard: one stop for Tab, and arrows from there. */
export function useTrackKeys(
  scroller: RefObject<HTMLElement | null>,
  { tracks, hold, show, answer, end }: Options,
) {
  const [focused, setFocused] = useState<string | null>(null)
  const [last, setLast] = useState<string | null>(null)
  const stop = Math.max(
    0,
    tracks.findIndex(({ sessionId }) => sessionId === last),
  )
  const focus = (id: string) =>
    scroller.current?.querySelector<HTMLElement>(`[data-track="${id}"] > a`)?.focus()
  const go = (index: number) => {
    const to = Math.max(0, Math.min(tracks.length - 1, index))
    const next = tracks[to]
    if (!next) return
    setLast(next.sessionId)
    show(to)
    requestAnimationFrame(() => focus(next.sessionId))
  }

  useListeners(scroller, {
    focusin: ({ target }) => {
      hold(true)
      const id = sessionOf(target)
      setFocused(id ?? null)
      if (id) setLast(id)
      const row = rowOf(target)
      const track = tracks.find(({ sessionId }) => sessionId === id)
      const isByKeys = target instanceof Element && target.matches('a:focus-visible')
      if (!row || !track || !isByKeys) return point(null)
      const { left, bottom } = row.getBoundingClientRect()
      point({ track, now: end(), x: left + 200, y: bottom - 10 })
    },
    focusout: ({ relatedTarget }) => {
      if (relatedTarget instanceof Node && scroller.current?.contains(relatedTarget)) return
      setFocused(null)
      hold(false)
      point(null)
    },
    keydown: (event) => {
      const { target, key } = event
      const isOnTrack = target instanceof Element && target.matches('[data-track] > a')
      if (!isOnTrack || event.altKey || event.ctrlKey || event.metaKey) return
      const at = tracks[stop]
      const steps: Record<string, number | undefined> = {
        ArrowDown: stop + 1,
        j: stop + 1,
        ArrowUp: stop - 1,
        k: stop - 1,
        Home: 0,
        End: tracks.length - 1,
      }
      const to = steps[key]
      if (to !== undefined) go(to)
      else if (key === ' ') answer(at?.state === 'waits' ? at.sessionId : null)
      else if (key === 'Escape') answer(null)
      else return
      event.preventDefault()
    },
  })
  return { stop, focused, focus }
}
