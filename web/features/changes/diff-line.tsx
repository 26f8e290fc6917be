import { memo } from 'react'
import { Plus } from 'lucide-react'
import { changesStrings as words } from '../../strings/changes.ts'
import { visibleText } from '../approval/visible-text.ts'
import type { DiffLine } from './parse-diff.ts'
import { changedPart } from './word-change.ts'

/** Of a line that is longer only its beginning is drawn. */
const longest = 2000

export type Side = 'before' | 'after'

export interface Hands {
  /** Where somebody begins to choose lines, or ends when they hold Shift or drag. */
  press: (side: Side, number: number, isMore: boolean) => void
  comment: (side: Side, number: number) => void
  /** Which line takes the keyboard. */
  isCurrent: boolean
}

const grounds = { same: '', added: 'bg-go/10', removed: 'bg-stop/10' }
const marks = { same: ' ', added: '+', removed: '−' }
const strong = { same: '', added: 'bg-go/25 rounded-[2px]', removed: 'bg-stop/25 rounded-[2px]' }

interface NumberProps {
  line: DiffLine | null
  side: Side
  path: string
  hands: Hands | null
  isChosen: boolean
}

/** The number of a line. Where something can be said about it, it is the button for that. */
export const LineNumber = memo(function LineNumber({ line, side, path, hands, isChosen }: NumberProps) {
  const number = line?.[side] ?? null
  const look = `flex w-11 shrink-0 items-start justify-end select-none pe-1.5 text-mute tabular-nums ${isChosen ? 'bg-queue/20' : ''}`
  if (number === null || !hands) return <span className={look}>{number}</span>
  return (
    <button
      type="button"
      data-number={`${side} ${number}`}
      data-path={path}
      tabIndex={hands.isCurrent ? 0 : -1}
      aria-label={words.line(number, side === 'before' ? words.before : words.after)}
      // A line is lower than what a finger needs; the one that the keyboard is at reaches over its neighbours.
      className={`group relative ${look} ${hands.isCurrent ? 'z-1 -my-0.75 py-0.75' : ''} cursor-pointer hover:text-text focus-visible:-outline-offset-2`}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        // Dragging over numbers chooses them: the pointer must not stay with this one.
        event.currentTarget.releasePointerCapture(event.pointerId)
        hands.press(side, number, event.shiftKey)
      }}
      // What no pointer pressed: a screen reader did.
      onClick={(event) => event.detail === 0 && hands.comment(side, number)}
      onPointerEnter={(event) => event.buttons === 1 && hands.press(side, number, true)}
    >
      <Plus
        size={14}
        aria-hidden
        className="absolute start-0.5 top-0.5 rounded-small bg-queue text-ground opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100"
      />
      {number}
    </button>
  )
})

/** What stands in a line, and which part of it is other than before. */
export const LineText = memo(function LineText({ line }: { line: DiffLine | null }) {
  if (!line) return <span className="min-w-0 grow bg-raise/40" />
  const { kind, text, pair } = line
  const cut = text.length > longest
  const shown = cut ? text.slice(0, longest) : text
  const part = cut ? null : changedPart(text, pair)
  return (
    <span className={`flex min-w-0 grow ${grounds[kind]}`}>
      <span aria-hidden className="w-4 shrink-0 text-center text-mute select-none">
        {marks[kind]}
      </span>
      <span
        dir="ltr"
        data-line={kind}
        className="min-w-0 grow pe-2 wrap-anywhere whitespace-pre-wrap [tab-size:4]"
      >
        {part ? (
          <>
            {visibleText(shown.slice(0, part[0]))}
            <span className={strong[kind]}>{visibleText(shown.slice(...part))}</span>
            {visibleText(shown.slice(part[1]))}
          </>
        ) : (
          visibleText(shown) || ' '
        )}
        {cut && <span className="text-mute">{words.longLine(text.length - longest)}</span>}
      </span>
    </span>
  )
})
