import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDownToLine } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { executionStrings } from '../../strings/execution.ts'
import { strings } from '../../strings/page.ts'
import { transcriptStrings } from '../../strings/transcript.ts'
import { Button } from '../../ui/button.tsx'
import type { Asked } from '../approval/approval-card.tsx'
import { queueOf } from '../approval/queue.ts'
import { useSettled } from '../approval/use-settled.ts'
import type { Row } from './transcript-row.ts'
import { TranscriptRow } from './transcript-rows.tsx'
import { useEndInSight } from './use-end-in-sight.ts'
import { useKeptPlace } from './use-kept-place.ts'
import type { Conversation } from './use-transcript.ts'

/** What scrolls must be reachable by keyboard, and not every browser sees to that by itself. */
const reachable = { tabIndex: 0 }

const never = () => false

/** What turns out to be smaller or larger above what is read moves nothing, whichever way one goes. */
const isAbove = (item: { start: number }, _by: number, { scrollOffset }: { scrollOffset: number | null }) =>
  item.start < (scrollOffset ?? 0)
/** There it would stop a list that is still rolling. */
const isTouched = matchMedia('(pointer: coarse)').matches

/** How close to the beginning of what is here more is read, in pixels. */
const READ_AHEAD = 1500
/** Of the line that says so. */
const EARLIER_HEIGHT = 36

const roughHeight: Record<Row['kind'], number> = {
  message: 60,
  text: 80,
  reasoning: 34,
  tool: 46,
  plan: 90,
  diff: 46,
  notice: 30,
  summary: 34,
  approval: 180,
  end: 44,
}

interface Props {
  conversation: Conversation
  /** Grows with everything that is sent from here. */
  sent: number
}

/** All that was said. Stays at the end while that is in sight, and where it is when somebody reads further up. */
export function TranscriptView({ conversation, sent }: Props) {
  const scroller = useRef<HTMLElement>(null)
  const { transcript, earlier, readEarlier, setReading } = conversation
  const queue = queueIn(transcript.rows)
  // All but the first are folded into the cards of their calls, so that the one is in sight that a key answers.
  const later = new Set(queue?.slice(1).map(({ id }) => id))
  const rows =
    later.size === 0
      ? transcript.rows
      : transcript.rows.filter((row) => row.kind !== 'approval' || !later.has(row.asked.id))
  const { dropped, said } = transcript.store
  const waiting = waitingIn(rows)
  const asked = rows[waiting[0] ?? -1]?.key
  const isSettled = useSettled(asked)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => roughHeight[rows[index]?.kind ?? 'notice'],
    overscan: 6,
    scrollMargin: earlier === 'none' ? 0 : EARLIER_HEIGHT,
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), ...waiting])].toSorted((one, other) => one - other),
  })
  const items = virtualizer.getVirtualItems()
  const size = virtualizer.getTotalSize()

  const { left, follow, onScroll, onScrollEnd } = useEndInSight({ scroller, said, sent })
  // Where the end is followed, nothing else moves it: what corrects for rows further up looks like a person who scrolls.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange =
    left === null ? never : isTouched ? undefined : isAbove
  useKeptPlace({ scroller, virtualizer, rows, isReading: left !== null })
  useEffect(() => setReading(left !== null), [left, setReading])
  useEffect(() => {
    // Read before it comes into sight; what does not fill the screen reads on by itself.
    const isNear = (scroller.current?.scrollTop ?? 0) < READ_AHEAD
    if (isNear && earlier === 'some') readEarlier()
  })

  return (
    <div className="relative flex min-h-0 grow flex-col">
      <section
        ref={scroller}
        data-transcript
        aria-label={transcriptStrings.label}
        {...reachable}
        className={`min-h-0 grow overflow-auto overscroll-contain px-5.5 focus-visible:-outline-offset-2 max-sm:px-4 ${left === null ? '[overflow-anchor:none]' : ''}`}
        onScroll={onScroll}
        onScrollEnd={onScrollEnd}
      >
        {earlier !== 'none' && <Earlier conversation={conversation} />}
        {dropped > 0 && <p className="py-1 text-small text-mute">{transcriptStrings.dropped(dropped)}</p>}
        <div className="relative mx-auto max-w-200" style={{ blockSize: size }}>
          {items.map(({ index, start, key }) => {
            const row = rows[index]
            if (!row) return null
            return (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                data-row={row.kind}
                className="absolute inset-x-0 top-0 py-1.5"
                style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
              >
                <TranscriptRow
                  row={row}
                  takesKeys={row.key === asked && isSettled}
                  queue={row.key === asked ? queue : undefined}
                  isFolded={row.kind === 'tool' && row.asked !== null && later.has(row.asked.id)}
                />
              </div>
            )
          })}
        </div>
        <div className="h-3" />
      </section>
      {rows.length === 0 && <Nothing conversation={conversation} />}
      {conversation.problem && rows.length > 0 && (
        <p className="px-5.5 py-2 text-stop max-sm:px-4">{conversation.problem}</p>
      )}
      {left !== null && rows.length > 0 && (
        <Button className="absolute end-5 bottom-4 shadow-float" onClick={follow}>
          <ArrowDownToLine size={14} aria-hidden />
          {said > left ? transcriptStrings.newParts : executionStrings.jumpToEnd}
        </Button>
      )}
    </div>
  )
}

function Earlier({ conversation: { earlier, readEarlier } }: { conversation: Conversation }) {
  return (
    <p data-earlier={earlier} className="mx-auto flex h-9 max-w-200 items-center gap-3 text-small text-mute">
      {earlier === 'failed' ? transcriptStrings.earlierFailed : transcriptStrings.earlier}
      {earlier === 'failed' && <Button onClick={readEarlier}>{strings.retry}</Button>}
    </p>
  )
}

/** Where questions wait: they stay drawn, so that an answer that was begun is not lost with a glance further up. */
const waitingIn = (rows: readonly Row[]): number[] =>
  rows.flatMap((row, index) => (row.kind === 'approval' && row.status === 'waiting' ? [index] : []))

/** The calls of one step that wait, when there are several, the one first that is answered first. */
function queueIn(rows: readonly Row[]): Asked[] | undefined {
  const asking = waitingIn(rows).flatMap((at) => (rows[at]?.kind === 'approval' ? [rows[at]] : []))
  const [first] = asking
  const ofFirst = asking.filter(({ executionId }) => executionId === first?.executionId)
  const queue = queueOf(ofFirst.map(({ asked }) => asked))
  return queue?.[0]?.id === first?.asked.id ? queue : undefined
}

function Nothing({ conversation: { problem, state } }: { conversation: Conversation }) {
  const words = transcriptStrings
  const reason = problem ? `${words.failed}: ${problem}` : state === 'opening' ? words.opening : words.empty
  return (
    <output
      className={`absolute inset-x-0 top-0 px-5.5 py-3 text-mute max-sm:px-4 ${state === 'opening' ? 'animate-appear-late' : ''}`}
    >
      {reason}
    </output>
  )
}
