import { useVirtualizer } from '@tanstack/react-virtual'
import { useImperativeHandle, useMemo, useRef, useState } from 'react'
import type { Ref } from 'react'
import { changesStrings as words } from '../../strings/changes.ts'
import type { Comments } from './comment-store.ts'
import { DiffRowView } from './diff-row.tsx'
import { rowsOf } from './diff-rows.ts'
import type { DiffRow, ShownFile } from './diff-rows.ts'
import { useChosenLines } from './use-chosen-lines.ts'

export interface DiffHandle {
  showFile: (path: string) => void
}

interface Props {
  ref?: Ref<DiffHandle>
  files: readonly ShownFile[]
  isSplit: boolean
  /** Null where nobody would hear them. */
  comments: Comments | null
  onShowAll: (path: string) => void
}

const roughHeight: Record<DiffRow['kind'], number> = {
  file: 34,
  note: 34,
  hunk: 22,
  line: 18,
  pair: 18,
  comment: 110,
}
const none: readonly never[] = []

/** All that has changed, line by line, however much that is. */
export function DiffView({ ref, files, isSplit, comments, onShowAll }: Props) {
  const scroller = useRef<HTMLElement>(null)
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const all = comments?.all ?? none
  const rows = useMemo(() => rowsOf({ files, isSplit, folded, comments: all }), [files, isSplit, folded, all])
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => `${isSplit} ${rows[index]?.key}`,
    estimateSize: (index) => roughHeight[rows[index]?.kind ?? 'line'],
    overscan: 20,
  })
  const chosen = useChosenLines({ rows, comments, scroller, showRow: (at) => virtualizer.scrollToIndex(at) })
  useImperativeHandle(ref, () => ({
    showFile: (path) => {
      setFolded((now) => without(now, path))
      const at = rows.findIndex((row) => row.kind === 'file' && row.file.path === path)
      if (at >= 0) virtualizer.scrollToIndex(at, { align: 'start' })
    },
  }))
  const toggle = (path: string) =>
    setFolded((now) => (now.has(path) ? without(now, path) : new Set([...now, path])))
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the numbers of its lines are the buttons
    <section
      ref={scroller}
      data-diff
      aria-label={words.diff}
      className="min-h-0 grow overflow-y-auto overscroll-contain bg-ground pb-6 font-mono text-small"
      onKeyDown={chosen.onKeyDown}
      onPointerUp={chosen.onPointerUp}
    >
      <div className="relative" style={{ blockSize: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index]
          if (!row) return null
          return (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <DiffRowView
                row={row}
                isFolded={row.kind === 'file' && folded.has(row.file.path)}
                onToggle={toggle}
                onShowAll={onShowAll}
                comments={comments}
                press={chosen.press}
                comment={chosen.comment}
                isCurrent={chosen.current === index}
                chosen={chosen.range}
              />
            </div>
          )
        })}
      </div>
    </section>
  )
}

const without = (all: ReadonlySet<string>, one: string) => new Set([...all].filter((each) => each !== one))
