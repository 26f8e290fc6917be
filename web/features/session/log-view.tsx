import { ArrowDownToLine } from 'lucide-react'
import { useLayoutEffect, useRef, useState } from 'react'
import { executionStrings } from '../../strings/execution.ts'
import { Button } from '../../ui/button.tsx'
import { isLive } from './execution-list.ts'
import { LINE_HEIGHT, LogLines } from './log-lines.tsx'
import type { Log } from './use-log.ts'
import type { KnownExecution } from './execution-list.ts'

/** Closer to the end than this, and the end is what is wanted. */
const NEAR = LINE_HEIGHT * 1.5

/** What scrolls must be reachable by keyboard, and not every browser sees to that by itself. */
const reachable = { tabIndex: 0 }

/** Everything it wrote. Stays at the end while that is in sight, and where it is when somebody reads further up. */
export function LogView({ execution, log }: { execution: KnownExecution; log: Log }) {
  const scroller = useRef<HTMLElement>(null)
  const end = useRef(0)
  const [place, setPlace] = useState({ top: 0, height: 0 })
  const [left, setLeft] = useState<number | null>(null)
  const { text, version } = log
  const dropped = text.dropped()
  const total = dropped + text.lines().length

  const look = () => {
    const element = scroller.current
    if (!element) return
    const { scrollTop: top, clientHeight: height, scrollHeight } = element
    setPlace((now) => (now.top === top && now.height === height ? now : { top, height }))
    const isAtEnd = scrollHeight - top - height < NEAR
    setLeft((now) => (isAtEnd ? null : (now ?? total)))
  }
  const toTheEnd = () => {
    const element = scroller.current
    if (!element) return
    element.scrollTop = element.scrollHeight
    end.current = element.scrollTop
  }
  useLayoutEffect(() => {
    // Whoever scrolls up may be quicker than the event that tells of it.
    const isLeaving = (scroller.current?.scrollTop ?? 0) < end.current - 1
    if (left === null && !isLeaving) toTheEnd()
  })
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const watcher = new ResizeObserver(() => {
      const { scrollTop: top, clientHeight: height } = element
      setPlace({ top, height })
    })
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])
  const droppedBefore = useRef(dropped)
  useLayoutEffect(() => {
    // Lines that are forgotten at the beginning must not move those that are being read.
    const gone = dropped - droppedBefore.current
    droppedBefore.current = dropped
    if (gone <= 0 || !scroller.current) return
    end.current -= gone * LINE_HEIGHT
    if (left !== null) scroller.current.scrollTop -= gone * LINE_HEIGHT
  }, [dropped, left])

  return (
    <div className="relative flex min-h-0 grow flex-col border-t border-line bg-panel">
      {dropped > 0 && (
        <p className="border-b border-line px-5.5 py-1 text-small text-mute max-sm:px-4">
          {executionStrings.logDropped(dropped)}
        </p>
      )}
      <section
        ref={scroller}
        data-log
        aria-label={executionStrings.log}
        {...reachable}
        className="min-h-0 grow overflow-auto overscroll-contain py-2 focus-visible:-outline-offset-2"
        onScroll={look}
      >
        <LogLines text={text} version={version} top={place.top} height={place.height} />
      </section>
      {total === 0 && <Nothing execution={execution} log={log} />}
      {log.problem && total > 0 && (
        <p className="border-t border-line px-5.5 py-2 text-stop max-sm:px-4">{log.problem}</p>
      )}
      {left !== null && total > 0 && (
        <Button className="absolute end-5 bottom-4 shadow-float" onClick={toTheEnd}>
          <ArrowDownToLine size={14} aria-hidden />
          {total > left ? executionStrings.newLines(total - left) : executionStrings.jumpToEnd}
        </Button>
      )}
    </div>
  )
}

function Nothing({ execution, log }: { execution: KnownExecution; log: Log }) {
  const words = executionStrings
  const reason = log.problem
    ? `${words.logFailed}: ${log.problem}`
    : log.state === 'opening'
      ? words.logOpening
      : isLive(execution.status)
        ? words.logNotYet
        : words.logNothing
  return (
    <output
      className={`absolute inset-x-0 top-0 px-5.5 py-3 text-mute max-sm:px-4 ${log.state === 'opening' ? 'animate-appear-late' : ''}`}
    >
      {reason}
    </output>
  )
}
