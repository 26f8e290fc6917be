import type { LogStream } from '../../../src/contract/execution.ts'
import { decodeLine, styleAfter } from './decode-line.ts'
import { plain } from './style.ts'
import type { Style } from './style.ts'

export interface LogLine {
  /** As it was written, escape sequences and all: it is decoded when it is looked at. */
  raw: string
  stream: LogStream
  start: Style
  /** The same line as the one before, which was too long for one. */
  isContinued: boolean
}

export interface LogText {
  append: (content: string, stream: LogStream) => void
  lines: () => readonly LogLine[]
  /** How many lines at the beginning are not kept any more. */
  dropped: () => number
  /** The longest line, in characters. */
  widest: () => number
  /** Everything that is kept, without colours. */
  plainText: () => string
}

export interface Limits {
  lines: number
  characters: number
  lineLength: number
}

const generous: Limits = { lines: 500_000, characters: 80_000_000, lineLength: 4000 }

/** A log as lines that can be drawn one by one, however much of it there is. */
export function createLogText(limits: Limits = generous): LogText {
  let lines: LogLine[] = []
  let isOpen = false
  let dropped = 0
  let widest = 0
  let characters = 0
  const styles: Record<LogStream, Style> = { stdout: plain, stderr: plain, system: plain }

  function append(content: string, stream: LogStream): void {
    if (content === '') return
    const pieces = content.split('\n')
    const rest = pieces.pop() ?? ''
    for (const piece of pieces) {
      extend(piece, stream)
      close()
    }
    if (rest !== '') extend(rest, stream)
    if (lines.length > limits.lines * 1.05 || characters > limits.characters * 1.05) forget()
  }

  function extend(piece: string, stream: LogStream): void {
    const last = lines.at(-1)
    const goesOn = isOpen && last?.stream === stream
    if (isOpen && !goesOn) close()
    characters += piece.length
    const line = goesOn
      ? { ...last, raw: last.raw + piece }
      : { raw: piece, stream, start: styles[stream], isContinued: false }
    if (goesOn) lines[lines.length - 1] = line
    else lines.push(line)
    isOpen = true
    if (line.raw.length > limits.lineLength) shorten(line)
    else if (line.raw.length > widest) widest = Math.max(widest, visibleLength(line))
  }

  function close(): void {
    const last = lines.at(-1)
    isOpen = false
    if (!last) return
    styles[last.stream] = styleAfter(last.raw, last.start)
    if (last.raw.endsWith('\r')) lines[lines.length - 1] = { ...last, raw: last.raw.slice(0, -1) }
  }

  /** A line that was rewritten again and again keeps its last two versions; one that is just long goes on in the next. */
  function shorten(line: LogLine): void {
    lines.pop()
    let { raw, start, isContinued } = line
    const kept = raw.lastIndexOf('\r', raw.lastIndexOf('\r', raw.length - 2) - 1)
    if (kept > 0) {
      start = styleAfter(raw.slice(0, kept), start)
      raw = raw.slice(kept)
    }
    while (raw.length > limits.lineLength) {
      const end = cutBefore(raw, limits.lineLength)
      const part = { ...line, raw: raw.slice(0, end), start, isContinued }
      lines.push(part)
      start = styleAfter(part.raw, start)
      raw = raw.slice(end)
      isContinued = true
      widest = Math.max(widest, visibleLength(part))
    }
    lines.push({ ...line, raw, start, isContinued })
  }

  function forget(): void {
    let kept = 0
    let from = lines.length
    while (from > 0 && lines.length - from < limits.lines && kept < limits.characters) {
      from -= 1
      kept += lines[from]?.raw.length ?? 0
    }
    lines = lines.slice(from)
    dropped += from
    characters = kept
  }

  return {
    append,
    lines: () => lines,
    dropped: () => dropped,
    widest: () => widest,
    plainText: () =>
      lines.map((line, at) => (line.isContinued || at === 0 ? '' : '\n') + textOf(line)).join(''),
  }
}

const textOf = ({ raw, start }: LogLine) =>
  decodeLine(raw, start)
    .map(({ text }) => text)
    .join('')

const visibleLength = (line: LogLine) => textOf(line).replaceAll('\t', '        ').length

/** Not inside a character, and not inside an escape sequence that begins shortly before. */
function cutBefore(raw: string, limit: number): number {
  const escape = raw.lastIndexOf('\u001b', limit - 1)
  if (escape > 0 && escape > limit - 40 && !/^.\[?[\d;:?]*[a-z]/i.test(raw.slice(escape, limit)))
    return escape
  const isInsideCharacter = /[\ud800-\udbff]/.test(raw.charAt(limit - 1))
  return isInsideCharacter ? limit - 1 : limit
}
