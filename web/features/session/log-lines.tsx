import { memo } from 'react'
import { executionStrings } from '../../strings/execution.ts'
import { decodeLine } from './decode-line.ts'
import type { Span } from './decode-line.ts'
import type { LogLine, LogText } from './log-text.ts'
import { coloursOf } from './colours.ts'
import type { Style } from './style.ts'

export const LINE_HEIGHT = 18
const BEYOND = 20

interface Props {
  text: LogText
  /** Changes with the text, which is the same object for ever. */
  version: number
  top: number
  height: number
}

/** The lines in sight and a few around them: all of the same height, so that a million cost no more than fifty. */
export function LogLines({ text, top, height }: Props) {
  const lines = text.lines()
  const first = Math.max(0, Math.floor(top / LINE_HEIGHT) - BEYOND)
  const last = Math.min(lines.length, Math.ceil((top + height) / LINE_HEIGHT) + BEYOND)
  const digits = Math.max(3, String(text.dropped() + lines.length).length)
  return (
    <div
      dir="ltr"
      className="relative min-w-full font-mono text-small"
      style={{
        blockSize: lines.length * LINE_HEIGHT,
        inlineSize: `calc(${text.widest() + digits + 8}ch + 44px)`,
      }}
    >
      <div className="absolute inset-x-0 top-0" style={{ transform: `translateY(${first * LINE_HEIGHT}px)` }}>
        {numbered(lines.slice(first, last), text.dropped() + first + 1).map(({ line, number }) => (
          <Line key={number} line={line} number={number} digits={digits} />
        ))}
      </div>
    </div>
  )
}

const numbered = (lines: readonly LogLine[], first: number) =>
  lines.map((line, index) => ({ line, number: first + index }))

function placed(spans: Span[]): (Span & { column: number })[] {
  let column = 0
  return spans.map((span) => {
    column += span.text.length
    return { ...span, column }
  })
}

const streamLook = {
  stdout: 'border-transparent',
  stderr: 'border-stop',
  system: 'border-queue text-soft',
}

const Line = memo(function Line({ line, number, digits }: { line: LogLine; number: number; digits: number }) {
  const { stream } = line
  return (
    <div
      data-line={number}
      data-stream={stream}
      className={`flex h-[18px] border-s-2 ps-3.5 leading-[18px] whitespace-pre hover:bg-raise ${streamLook[stream]}`}
    >
      <span
        aria-hidden
        className="shrink-0 text-end text-mute tabular-nums opacity-70 select-none"
        style={{ inlineSize: `${digits}ch` }}
      >
        {number}
      </span>
      <span
        title={executionStrings.streamNames[stream]}
        className="w-[5ch] shrink-0 text-center text-tiny text-mute select-none"
      >
        {executionStrings.streams[stream]}
      </span>
      <span className="[tab-size:8]">
        {placed(decodeLine(line.raw, line.start)).map(({ text, style, column }) => (
          <span key={column} className={classOf(style)} style={coloursOf(style)}>
            {text}
          </span>
        ))}
      </span>
    </div>
  )
})

const classOf = ({ bold, dim, italic, underline, strike, hidden }: Style) =>
  [
    bold && 'font-bold',
    dim && 'opacity-70',
    italic && 'italic',
    underline && 'underline',
    strike && 'line-through',
    hidden && 'invisible',
  ]
    .filter(Boolean)
    .join(' ')
