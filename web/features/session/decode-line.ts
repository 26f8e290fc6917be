import { applySgr, plain } from './style.ts'
import type { Style } from './style.ts'

export interface Span {
  text: string
  style: Style
}

const csi = '(?:\u001b\\[|\u009b)'
const sequence = new RegExp(
  [
    `${csi}([0-?]*)[ -\\/]*([@-~])`,
    // Strings for the terminal itself (its title, its clipboard, …), up to their end or that of the line.
    '(?:\u001b[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\\\|\u009c|$|(?=\u001b))',
    '\u001b[ -\\/]*[0-Z\\\\^-~]',
    // Not all of it is there yet.
    '\u001b\\[?[ -?]*$',
    '[\\p{Cc}--[\\t]]',
  ].join('|'),
  'gv',
)
const special = /[\p{Cc}--[\t]]/v
const rewriting = new RegExp(`[\r\b]|${csi}\\d*[KGCD]`, 'v')

/** One line of a log as what is to be seen of it. Nothing in it can do more than have a colour. */
export function decodeLine(raw: string, start: Style): Span[] {
  if (!special.test(raw)) return raw === '' ? [] : [{ text: raw, style: start }]
  if (rewriting.test(raw)) return decodeRewritten(raw, start)
  const spans: Span[] = []
  let style = start
  const add = (text: string) => {
    if (text !== '') spans.push({ text, style })
  }
  let at = 0
  for (const match of raw.matchAll(sequence)) {
    add(raw.slice(at, match.index))
    at = match.index + match[0].length
    if (match[2] === 'm') style = applySgr(style, match[1] ?? '')
  }
  add(raw.slice(at))
  return spans
}

/** How text after this line begins to look. */
export function styleAfter(raw: string, start: Style): Style {
  const last = raw.lastIndexOf('\u001b')
  // Most coloured lines end with a reset: then nothing before it matters.
  if (last !== -1 && (raw.startsWith('[0m', last + 1) || raw.startsWith('[m', last + 1))) return plain
  if (!special.test(raw)) return start
  let style = start
  for (const [, parameters, final] of raw.matchAll(sequence))
    if (final === 'm') style = applySgr(style, parameters ?? '')
  return style
}

/** A line in which the cursor went back: what was written later lies over what was there. */
function decodeRewritten(raw: string, start: Style): Span[] {
  const cells: (Span | undefined)[] = []
  let style = start
  let column = 0
  const write = (text: string) => {
    for (const character of text) {
      cells[column] = { text: character, style }
      column += 1
    }
  }
  let at = 0
  for (const match of raw.matchAll(sequence)) {
    write(raw.slice(at, match.index))
    at = match.index + match[0].length
    const [whole, parameters = '', final] = match
    const amount = Math.min(Number(parameters) || 0, 10_000)
    if (final === 'm') style = applySgr(style, parameters)
    else if (final === 'K') erase(cells, column, amount)
    else if (final === 'G') column = Math.max(0, amount - 1)
    else if (final === 'C') column = Math.min(column + (amount || 1), 10_000)
    else if (final === 'D') column = Math.max(0, column - (amount || 1))
    else if (whole === '\r') column = 0
    else if (whole === '\b') column = Math.max(0, column - 1)
  }
  write(raw.slice(at))
  return joined(cells)
}

/** 0 from the cursor on, 1 up to it, 2 all of the line. */
function erase(cells: (Span | undefined)[], column: number, how: number): void {
  if (how === 0) cells.length = Math.min(cells.length, column)
  else if (how === 2) cells.length = 0
  else if (how === 1) for (let at = 0; at <= column && at < cells.length; at += 1) cells[at] = undefined
}

function joined(cells: (Span | undefined)[]): Span[] {
  const spans: Span[] = []
  for (let at = 0; at < cells.length; at += 1) {
    const { text, style } = cells[at] ?? { text: ' ', style: plain }
    const last = spans.at(-1)
    if (last?.style === style) last.text += text
    else spans.push({ text, style })
  }
  return spans
}
