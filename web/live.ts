import type { StreamEvent } from '../src/contract/event.ts'
import type { Frame } from '../src/contract/sse-frame.ts'
import { followFrames } from './follow.ts'
import type { Following, FollowOptions } from './follow.ts'

/** `opening` only before the first answer; `lost` while we try again. */
export type LiveState = 'opening' | 'live' | 'lost'

export interface LiveOptions extends Pick<
  FollowOptions,
  'url' | 'headers' | 'onState' | 'silenceMs' | 'pauseMs'
> {
  /** Every event once and in order, as many at a time as arrived together. */
  onEvents: (events: StreamEvent[]) => void
  /** Events may have been missed: whatever was read before now must be read again. */
  onGap: () => void
  /** The key is not accepted (any more). Nothing is tried again. */
  onRefused: () => void
}

/** Follows a stream for as long as it is open: resumes after the last event seen, whatever breaks in between. */
export function openLive({ onEvents, onGap, onRefused, ...options }: LiveOptions): Following {
  let lastSeq: number | undefined
  return followFrames({
    ...options,
    resumeAfter: () => lastSeq?.toString(),
    onFrames: take,
    onRefused: ({ status }) => {
      if (status === 401) onRefused()
      return status === 401
    },
  })

  function take(frames: Frame[]): void {
    const events: StreamEvent[] = []
    for (const { event, data } of frames) {
      if (event === 'ready') meet((JSON.parse(data) as { seq: number }).seq)
      else if (lastSeq !== undefined) {
        const told = JSON.parse(data) as StreamEvent
        if (told.seq <= lastSeq) continue
        if (told.seq > lastSeq + 1) onGap()
        lastSeq = told.seq
        events.push(told)
      }
    }
    if (events.length > 0) onEvents(events)
  }

  /** On resuming, `ready` names the newest event but the missed ones come after it: only they move us on. */
  function meet(newest: number): void {
    if (lastSeq !== undefined && newest >= lastSeq) return
    lastSeq = newest
    onGap()
  }
}
