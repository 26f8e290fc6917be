import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { filesStrings as words } from '../../strings/files.ts'
import { visibleText } from '../approval/visible-text.ts'
import { numbered } from '../session/numbered.ts'
import { piecesOf } from './find-in-file.ts'

/** What scrolls must be reachable by keyboard. */
const reachable = { tabIndex: 0 }
/** Of a line that is longer only its beginning is drawn. */
const longest = 4000

interface Props {
  path: string
  lines: readonly string[]
  sought: string
  /** The line to be in sight, from 0; below that none. */
  shown: number
}

export function FileLines({ path, lines, sought, shown }: Props) {
  const scroller = useRef<HTMLElement>(null)
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 18,
    overscan: 20,
  })
  useEffect(() => {
    if (shown >= 0) virtualizer.scrollToIndex(shown, { align: 'center' })
  }, [shown, virtualizer])
  return (
    <section
      ref={scroller}
      {...reachable}
      aria-label={words.content(path)}
      className="min-h-0 grow overflow-y-auto overscroll-contain bg-ground py-1 font-mono text-small focus-visible:-outline-offset-2"
    >
      <div dir="ltr" className="relative" style={{ blockSize: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start, key }) => (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            data-shown={index === shown || undefined}
            className="absolute inset-x-0 top-0 flex leading-[18px] data-shown:bg-queue/15"
            style={{ transform: `translateY(${start}px)` }}
          >
            <span className="w-14 shrink-0 pe-3 text-end text-mute tabular-nums select-none">
              {index + 1}
            </span>
            <Line text={lines[index] ?? ''} sought={sought} />
          </div>
        ))}
      </div>
    </section>
  )
}

function Line({ text, sought }: { text: string; sought: string }) {
  const isCut = text.length > longest
  const pieces = piecesOf(isCut ? text.slice(0, longest) : text, sought)
  return (
    <span className="min-w-0 grow pe-3 wrap-anywhere whitespace-pre-wrap [tab-size:4]">
      {numbered(pieces).map(({ thing, number }) =>
        number % 2 === 0 ? (
          <mark key={number} className="rounded-[2px] bg-queue/35 text-current">
            {visibleText(thing)}
          </mark>
        ) : (
          visibleText(thing)
        ),
      )}
      {isCut && <span className="text-mute">{words.longLine(text.length - longest)}</span>}
    </span>
  )
}
