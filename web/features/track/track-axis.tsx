import type { RefObject } from 'react'
import { clockTime, trackStrings } from '../../strings/track.ts'
import { windowMs } from './use-tracks.ts'

const parts = [0, 1, 2, 3, 4, 5, 6] as const
const last = parts.length - 1
const place = (part: number) => ({ left: `${(part / last) * 100}%` })

/** The time above the tracks: minutes before now, or the clock where the end is another moment. */
export function Axis({
  axisRef,
  until,
}: {
  axisRef: RefObject<HTMLDivElement | null>
  until: number | undefined
}) {
  const wordOf = (part: number) => {
    const before = ((last - part) / last) * windowMs
    if (until !== undefined) return clockTime(until - before)
    return part === last ? trackStrings.atNow : trackStrings.minutesAgo(before / 60_000)
  }
  return (
    <div aria-hidden className="sticky top-0 z-10 h-7 bg-panel">
      <div
        ref={axisRef}
        className="absolute inset-y-0 start-(--label) end-4 text-tiny text-mute tabular-nums max-sm:start-3"
      >
        {parts.map((part) => (
          <span
            key={part}
            className={`absolute bottom-1 whitespace-nowrap ${part === last ? '-translate-x-full' : part === 0 ? '' : '-translate-x-1/2'} ${part % 3 === 0 ? '' : 'max-sm:hidden'}`}
            style={place(part)}
          >
            {wordOf(part)}
          </span>
        ))}
      </div>
    </div>
  )
}

export function GridLines() {
  return (
    <div aria-hidden className="pointer-events-none absolute inset-y-0 start-(--label) end-4 max-sm:start-3">
      {parts.map((part) => (
        <span
          key={part}
          className={`absolute inset-y-0 w-px ${part === last ? 'bg-soft' : 'bg-line'} ${part % 3 === 0 ? '' : 'max-sm:hidden'}`}
          style={place(part)}
        />
      ))}
    </div>
  )
}
