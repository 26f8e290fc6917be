import { terminalStrings as words } from '../../strings/terminal.ts'
import type { Shown } from './terminal-window.ts'

/** What is true of a window besides what it shows: who looks, who may type, how large it is. */
export function TerminalFacts({ shown, why }: { shown: Shown; why: string | undefined }) {
  const { link, readOnly, viewers, size } = shown
  if (link.name !== 'live') return null
  return (
    <span className="flex min-w-0 items-center gap-3 text-small text-mute">
      {viewers > 1 && (
        <span data-viewers={viewers} title={words.viewersHint} className="shrink-0 tabular-nums">
          {words.viewers(viewers)}
        </span>
      )}
      {readOnly && (
        <span data-read-only className="truncate" title={why}>
          <span className="font-medium text-soft">{words.readOnly}</span>
          <span className="max-sm:sr-only">. {why}</span>
        </span>
      )}
      {size && viewers > 1 && (isLarger(shown) || isSmaller(shown)) && (
        <span data-size className="animate-appear-late truncate tabular-nums max-sm:sr-only">
          {isLarger(shown) ? words.larger(size.cols, size.rows) : words.smaller(size.cols, size.rows)}
        </span>
      )}
    </span>
  )
}

/** Somebody else who types has less room. */
export const isSmaller = ({ link, size, room }: Shown): boolean =>
  link.name === 'live' &&
  size !== null &&
  room !== null &&
  !isLarger({ size, room }) &&
  (size.cols < room.cols || size.rows < room.rows)

const isLarger = ({ size, room }: Pick<Shown, 'size' | 'room'>): boolean =>
  size !== null && room !== null && (size.cols > room.cols || size.rows > room.rows)
