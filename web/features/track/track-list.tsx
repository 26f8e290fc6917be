import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useId, useRef, useState } from 'react'
import { session } from '../../session.ts'
import { trackStrings } from '../../strings/track.ts'
import { AnswerHere } from './answer-here.tsx'
import { inOrder } from './shown-tracks.ts'
import type { ShownTracks } from './shown-tracks.ts'
import { Axis, GridLines } from './track-axis.tsx'
import { TrackRow } from './track-row.tsx'
import { TrackTip } from './track-tip.tsx'
import { usePlane } from './use-plane.ts'
import { useTrackKeys } from './use-track-keys.ts'
import { useTrackPointer } from './use-track-pointer.ts'

const rowHeight = () => (window.matchMedia('(width < 40rem)').matches ? 60 : 40)
const axisHeight = 28

/** Every session as a line, time running from left to right. */
export function TrackList({ shown, isLive }: { shown: ShownTracks; isLive: boolean }) {
  const scroller = useRef<HTMLDivElement>(null)
  const axis = useRef<HTMLDivElement>(null)
  const keysId = useId()
  const plane = usePlane(scroller, axis, shown, isLive)
  // While somebody points at a track, or is on one by keyboard, none changes its place.
  const [held, setHeld] = useState<readonly string[] | null>(null)
  const tracks = held ? inOrder(shown.tracks, held) : shown.tracks
  const hold = (isHeld: boolean) =>
    setHeld((now) => (isHeld ? (now ?? tracks.map(({ sessionId }) => sessionId)) : null))
  const [open, setOpen] = useState<string | null>(null)
  const mayAnswer = session.get()?.principal.scopes.includes('approve') ?? false
  const toggle = useCallback((id: string) => setOpen((now) => (now === id ? null : id)), [])

  const keys = useTrackKeys(scroller, {
    tracks,
    hold,
    show: (index) => virtualizer.scrollToIndex(index),
    // Escape closes what is open.
    answer: (id) => setOpen(mayAnswer ? id : null),
    end: plane.end,
  })
  const isOnWait = useTrackPointer(scroller, {
    tracks,
    plane,
    hold: (isHeld) => hold(isHeld || keys.focused !== null),
  })
  const onPoint = useCallback(
    (id: string, clientX: number) => {
      const isAnswered = mayAnswer && isOnWait(id, clientX)
      if (isAnswered) setOpen(id)
      return isAnswered
    },
    [isOnWait, mayAnswer],
  )
  const virtualizer = useVirtualizer({
    count: tracks.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => tracks[index]?.sessionId ?? index,
    estimateSize: rowHeight,
    scrollMargin: axisHeight,
    scrollPaddingStart: axisHeight,
    overscan: 4,
    // What has the focus stays, however far it is scrolled away.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), keys.stop])].toSorted((one, other) => one - other),
  })

  return (
    <div
      ref={scroller}
      data-tracks
      className="relative max-h-[calc(100dvh-200px)] overflow-y-auto pb-2 [--label:240px] [scrollbar-gutter:stable] max-sm:max-h-[60dvh] max-sm:[--label:0px]"
    >
      <Axis axisRef={axis} until={isLive ? undefined : shown.until} />
      <div className="relative">
        <GridLines />
        <ol
          aria-label={trackStrings.list}
          aria-describedby={keysId}
          className="relative"
          style={{ blockSize: virtualizer.getTotalSize() }}
        >
          {virtualizer.getVirtualItems().map(({ index, start, key }) => {
            const track = tracks[index]
            if (!track) return null
            const { sessionId, state } = track
            const isOpen = open === sessionId && state === 'waits'
            return (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                aria-setsize={tracks.length}
                aria-posinset={index + 1}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start - axisHeight}px)` }}
              >
                <TrackRow
                  track={track}
                  scale={plane.scale}
                  isTabStop={index === keys.stop}
                  isOpen={isOpen}
                  mayAnswer={mayAnswer}
                  onAnswer={toggle}
                  onPoint={onPoint}
                />
                {isOpen && (
                  <AnswerHere
                    sessionId={sessionId}
                    takesKeys={keys.focused === sessionId}
                    onDone={() => {
                      setOpen(null)
                      if (keys.focused === sessionId) keys.focus(sessionId)
                    }}
                  />
                )}
              </li>
            )
          })}
        </ol>
      </div>
      <p id={keysId} hidden>
        {trackStrings.keys}
      </p>
      <TrackTip />
    </div>
  )
}
