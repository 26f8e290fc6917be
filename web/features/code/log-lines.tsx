import { useEffect, useRef } from 'react'
import type { LogLevel } from '../../../src/contract/execute.ts'
import { codeStrings as words } from '../../strings/code.ts'
import { visibleText } from '../approval/visible-text.ts'
import type { LogLine } from './run.ts'

/** More would make the page slow while they come. */
const mostShown = 500

const looks: Record<LogLevel, string> = {
  debug: 'text-mute',
  info: '',
  warn: 'text-caution',
  error: 'text-stop',
}

/** What the code logs, as it happens. Whoever reads further up is left there. */
export function LogLines({ logs, isOver }: { logs: readonly LogLine[]; isOver: boolean }) {
  const place = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    const element = place.current
    if (element && isAtEnd.current) element.scrollTop = element.scrollHeight
  })
  const shown = logs.slice(-mostShown)
  const first = shown[0]?.number ?? 1
  return (
    <div>
      <h2 className="font-semibold">{words.logs}</h2>
      {logs.length === 0 && isOver && <p className="text-mute">{words.noLogs}</p>}
      {first > 1 && <p className="text-small text-mute">{words.leftOut(first - 1)}</p>}
      <div
        ref={place}
        dir="ltr"
        role="log"
        aria-label={words.logs}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard
        tabIndex={0}
        className="max-h-60 min-h-5 overflow-y-auto font-mono text-small leading-5"
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 8
        }}
      >
        {shown.map(({ number, level, message }) => (
          <div key={number} data-log={level} className={`wrap-anywhere whitespace-pre-wrap ${looks[level]}`}>
            {level !== 'info' && <span className="me-2 text-tiny uppercase">{level}</span>}
            {visibleText(message)}
          </div>
        ))}
      </div>
    </div>
  )
}
