import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent, RefObject } from 'react'
import type { Comments } from './comment-store.ts'
import type { DiffRow } from './diff-rows.ts'
import type { Side } from './diff-line.tsx'
import type { DiffLine } from './parse-diff.ts'

/** Lines of one side of one file that something is to be said about. */
export interface Range {
  path: string
  side: Side
  from: number
  to: number
}

interface Wanted {
  rows: readonly DiffRow[]
  comments: Comments | null
  scroller: RefObject<HTMLElement | null>
  showRow: (at: number) => void
}

/** Choosing lines, by the pointer (press, drag, Shift) and by the keyboard (arrows, Shift, Enter). */
export function useChosenLines({ rows, comments, scroller, showRow }: Wanted) {
  const [range, setRange] = useState<(Range & { begun: number }) | null>(null)
  const [current, setCurrent] = useState(() => rows.findIndex(isLine))
  const wantsFocus = useRef<Side | null>(null)
  const isPressed = useRef(false)
  useEffect(() => {
    if (!wantsFocus.current) return
    const number = `[data-number^="${wantsFocus.current}"]`
    const button = scroller.current?.querySelector<HTMLElement>(`[data-index="${current}"] ${number}`)
    if (!button) return
    wantsFocus.current = null
    button.focus({ preventScroll: true })
  })

  const choose = (path: string, side: Side, number: number, isMore: boolean) => {
    setRange((now) => {
      const goesOn = isMore && now?.path === path && now.side === side
      const begun = goesOn ? now.begun : number
      return { path, side, begun, from: Math.min(begun, number), to: Math.max(begun, number) }
    })
    setCurrent(
      rows.findIndex((row) => isLine(row) && row.file.path === path && numberOf(row, side) === number),
    )
  }
  const press = (path: string, side: Side, number: number, isMore: boolean) => {
    isPressed.current = true
    choose(path, side, number, isMore)
  }
  const comment = (lines: Range) => {
    const quote = rows
      .flatMap((row) => (isLine(row) && row.file.path === lines.path ? [lineOf(row, lines.side)] : []))
      .filter((line): line is DiffLine => {
        const number = line?.[lines.side] ?? null
        return number !== null && number >= lines.from && number <= lines.to
      })
      .map(({ text }) => text)
    const { path, side, from, to } = lines
    comments?.open({ path, side, from, to, quote: quote.join('\n') })
    setRange(null)
  }
  const onPointerUp = () => {
    if (isPressed.current && range) comment(range)
    isPressed.current = false
  }
  /** From a line to the next one; with Shift only to lines of the same side, which are chosen on the way. */
  const move = (from: Place, by: 1 | -1, isMore: boolean) => {
    const fits = (row: DiffRow | undefined) =>
      isLine(row) && (!isMore || (row.file.path === from.path && numberOf(row, from.side) !== null))
    let at = from.at + by
    while (at >= 0 && at < rows.length && !fits(rows[at])) at += by
    const row = rows[at]
    if (!isLine(row)) return
    const side = numberOf(row, from.side) === null ? sideOf(row) : from.side
    if (isMore) {
      if (!range) choose(from.path, from.side, from.number, false)
      choose(from.path, side, numberOf(row, side) ?? 0, true)
    } else setRange(null)
    wantsFocus.current = side
    setCurrent(at)
    showRow(at)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const place = placeOf(event.target)
    if (!place) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      move(place, event.key === 'ArrowDown' ? 1 : -1, event.shiftKey)
    } else if (event.key === 'Enter' || event.key === 'c') {
      event.preventDefault()
      event.stopPropagation()
      comment(range ?? { ...place, from: place.number, to: place.number })
    } else if (event.key === 'Escape') setRange(null)
  }
  return { range, current, press, comment, onKeyDown, onPointerUp }
}

type LineRow = Extract<DiffRow, { kind: 'line' | 'pair' }>
const isLine = (row: DiffRow | undefined): row is LineRow => row?.kind === 'line' || row?.kind === 'pair'
const lineOf = (row: LineRow, side: Side): DiffLine | null =>
  row.kind === 'line' ? row.line : side === 'before' ? row.before : row.after
const numberOf = (row: LineRow, side: Side): number | null => lineOf(row, side)?.[side] ?? null
const sideOf = (row: LineRow): Side => (numberOf(row, 'after') === null ? 'before' : 'after')

/** The line whose number has the keyboard. */
interface Place {
  at: number
  path: string
  side: Side
  number: number
}

function placeOf(target: EventTarget): Place | undefined {
  if (!(target instanceof HTMLElement)) return undefined
  const { number: told, path } = target.dataset
  const at = target.closest<HTMLElement>('[data-index]')?.dataset['index']
  if (told === undefined || path === undefined || at === undefined) return undefined
  const [side, number] = told.split(' ')
  return { at: Number(at), path, side: side === 'before' ? 'before' : 'after', number: Number(number) }
}
