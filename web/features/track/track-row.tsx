import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { trackStrings } from '../../strings/track.ts'
import { Button } from '../../ui/button.tsx'
import { Signal } from '../../ui/signal.tsx'
import { drawTrack } from './draw-track.ts'
import type { Scale } from './draw-track.ts'
import type { ShownTrack } from './shown-tracks.ts'
import { aspectOf, summaryOf } from './track-words.ts'

interface Props {
  track: ShownTrack
  scale: Scale
  /** Tab leads to it. */
  isTabStop: boolean
  isOpen: boolean
  mayAnswer: boolean
  onAnswer: (sessionId: string) => void
  /** Whether what was clicked on is answered here, and nothing else is to happen. */
  onPoint: (sessionId: string, clientX: number) => boolean
}

/** One session: who works on what, and its line. The whole row leads to the session. */
export const TrackRow = memo(function TrackRow(props: Props) {
  const { track, scale, isTabStop, isOpen, mayAnswer, onAnswer, onPoint } = props
  const { sessionId, title, agentName, state } = track
  const mayBeAnswered = state === 'waits' && mayAnswer
  return (
    <div
      data-track={sessionId}
      data-state={state}
      className="group relative flex h-10 items-center max-sm:h-15 max-sm:items-start max-sm:pt-1.5"
    >
      <Link
        to="/sessions/$id"
        params={{ id: sessionId }}
        tabIndex={isTabStop ? 0 : -1}
        className="absolute inset-0 rounded-small group-hover:bg-raise/50 focus-visible:-outline-offset-2"
        // A click by keyboard has no place.
        onClick={(event) => event.detail > 0 && onPoint(sessionId, event.clientX) && event.preventDefault()}
      >
        <span className="sr-only">
          <bdi>{title}</bdi>, <bdi>{agentName}</bdi>, {summaryOf(track)}
        </span>
      </Link>
      <div className="pointer-events-none relative flex w-(--label) min-w-0 items-center gap-2 ps-3 pe-3 max-sm:w-full">
        <span aria-hidden className="flex">
          <Signal aspect={aspectOf[state]} word={trackStrings.state[state]} hidesWord />
        </span>
        <span
          aria-hidden
          className="flex min-w-0 grow flex-col max-sm:flex-row max-sm:items-baseline max-sm:gap-2"
        >
          <bdi className="truncate text-small font-medium">{title}</bdi>
          <span className="truncate text-tiny text-mute max-sm:shrink-0">
            <bdi>{agentName}</bdi>
            <span className={mayBeAnswered ? 'max-sm:hidden' : ''}> · {trackStrings.state[state]}</span>
          </span>
        </span>
        {mayBeAnswered && (
          <Button
            className="pointer-events-auto h-6! px-2! text-small max-sm:h-7!"
            aria-expanded={isOpen}
            aria-label={trackStrings.answerFor(title)}
            onClick={() => onAnswer(sessionId)}
          >
            {isOpen ? trackStrings.close : trackStrings.answer}
          </Button>
        )}
      </div>
      <Line track={track} scale={scale} />
    </div>
  )
})

function Line({ track, scale }: Pick<Props, 'track' | 'scale'>) {
  const { idle, lines, calls, asked, failed } = drawTrack(track, scale)
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute inset-y-0 start-(--label) end-4 overflow-hidden max-sm:start-3 max-sm:top-auto max-sm:bottom-1.5 max-sm:h-4"
    >
      <svg
        fill="none"
        strokeLinecap="round"
        className="absolute inset-x-0 top-1/2 h-px w-full [transform:translateX(var(--shift))] overflow-visible"
      >
        <path d={idle} className="stroke-edge" strokeWidth="2" />
        <path d={lines.queued} data-line="queued" className="stroke-queue" strokeWidth="5.5" />
        <path d={lines.queued} className="stroke-panel" strokeWidth="2.5" />
        <path d={lines.working} data-line="working" className="stroke-go" strokeWidth="3.5" />
        <path d={calls} data-line="calls" className="stroke-go" strokeWidth="1.4" strokeLinecap="butt" />
        <path d={lines.waits} data-line="waits" className="stroke-wait" strokeWidth="3.5" />
        <path d={asked} data-line="asked" className="fill-wait stroke-panel" strokeWidth="1.5" />
        <path d={failed} data-line="failed" className="fill-stop stroke-panel" strokeWidth="1.5" />
      </svg>
    </div>
  )
}
