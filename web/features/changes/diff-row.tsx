import { ChevronDown, ChevronRight } from 'lucide-react'
import { changesStrings as words } from '../../strings/changes.ts'
import { workspaceStrings } from '../../strings/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { visibleText } from '../approval/visible-text.ts'
import { CommentCard } from './comment-card.tsx'
import type { Comments } from './comment-store.ts'
import { LineNumber, LineText } from './diff-line.tsx'
import type { Side } from './diff-line.tsx'
import type { DiffRow, ShownFile } from './diff-rows.ts'
import type { Range } from './use-chosen-lines.ts'

interface Props {
  row: DiffRow
  isFolded: boolean
  onToggle: (path: string) => void
  onShowAll: (path: string) => void
  comments: Comments | null
  press: (path: string, side: Side, number: number, isMore: boolean) => void
  comment: (lines: Range) => void
  isCurrent: boolean
  chosen: Range | null
}

/** One row of a diff. */
export function DiffRowView(props: Props) {
  const { row, isFolded, onToggle, onShowAll, comments, isCurrent, chosen } = props
  const { path } = row.file
  const hands = comments && {
    isCurrent,
    press: (side: Side, number: number, isMore: boolean) => props.press(path, side, number, isMore),
    comment: (side: Side, number: number) => props.comment({ path, side, from: number, to: number }),
  }
  const isChosen = (side: Side, number: number | null | undefined) =>
    chosen?.path === path &&
    chosen.side === side &&
    typeof number === 'number' &&
    number >= chosen.from &&
    number <= chosen.to
  switch (row.kind) {
    case 'file':
      return <FileHead file={row.file} isFolded={isFolded} onToggle={() => onToggle(path)} />
    case 'note':
      return (
        <p className="flex items-center gap-3 px-4 py-1.5 font-sans text-mute">
          {words.notes[row.note]}
          {row.note === 'cut' && <Button onClick={() => onShowAll(path)}>{words.showAll}</Button>}
        </p>
      )
    case 'hunk':
      return (
        <p className="truncate border-y border-line bg-panel px-4 py-0.5 text-mute select-none">
          ⋯ {visibleText(row.heading)}
        </p>
      )
    case 'line': {
      const { line } = row
      return (
        <div className="flex leading-[18px]">
          {(['before', 'after'] as const).map((side) => (
            <LineNumber
              key={side}
              line={line}
              side={side}
              path={path}
              hands={hands}
              isChosen={isChosen(side, line[side])}
            />
          ))}
          <LineText line={line} />
        </div>
      )
    }
    case 'pair':
      return (
        <div className="grid grid-cols-2 leading-[18px]">
          {(['before', 'after'] as const).map((side) => (
            <div key={side} className="flex min-w-0 border-line [&+&]:border-s">
              <LineNumber
                line={row[side]}
                side={side}
                path={path}
                hands={hands}
                isChosen={isChosen(side, row[side]?.[side])}
              />
              <LineText line={row[side]} />
            </div>
          ))}
        </div>
      )
    case 'comment':
      return comments && <CommentCard comment={row.comment} isMoved={row.isMoved} comments={comments} />
  }
}

interface HeadProps {
  file: ShownFile
  isFolded: boolean
  onToggle: () => void
}

function FileHead({ file: { path, oldPath, change, additions, deletions }, isFolded, onToggle }: HeadProps) {
  return (
    <div className="flex items-center gap-2 border-y border-line bg-panel ps-2 pe-4 font-sans">
      <button
        type="button"
        aria-expanded={!isFolded}
        aria-label={isFolded ? words.unfold(path) : words.fold(path)}
        data-file={path}
        className="flex min-h-8 min-w-0 grow items-center gap-1.5 text-start"
        onClick={onToggle}
      >
        {isFolded ? <ChevronRight size={14} aria-hidden /> : <ChevronDown size={14} aria-hidden />}
        <bdi dir="ltr" className="min-w-0 truncate font-mono">
          {visibleText(path)}
        </bdi>
        {oldPath !== null && oldPath !== path && (
          <bdi className="min-w-0 truncate text-mute">{words.renamedFrom(visibleText(oldPath))}</bdi>
        )}
      </button>
      <span className="shrink-0 text-mute">{workspaceStrings.change[change]}</span>
      <Counts additions={additions} deletions={deletions} />
    </div>
  )
}

export function Counts({ additions, deletions }: Pick<ShownFile, 'additions' | 'deletions'>) {
  if (additions === null && deletions === null) return null
  return (
    <span className="shrink-0 tabular-nums">
      <span className="text-go">+{additions}</span> <span className="text-stop">−{deletions}</span>
    </span>
  )
}
