import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** A place in code: line and column, from 1. */
export interface Place {
  line: number
  column: number
}

/** Where what runs stands in what was written. */
export interface LineMap {
  /** Undefined for what nobody wrote. */
  written(place: Place): Place | undefined
  /** What is kept of it with a frozen run. */
  packed: string
}

/** `[column that runs, line and column that were written]`, from 0. */
type Segment = [at: number, line: number, column: number]

/** The lines of JavaScript are the same, one further down. */
export const sameLines: LineMap = {
  written: ({ line, column }) => (line > 1 ? { line: line - 1, column } : undefined),
  packed: '',
}

/** Of the mappings of a source map (ECMA-426), of code under one line of ours. */
export function lineMap(mappings: string): LineMap {
  let lines: Segment[][] | undefined
  return {
    written: ({ line, column }) => {
      lines ??= decoded(mappings)
      const segments = lines[line - 1]
      const found = segments?.findLast(([at]) => at <= column - 1) ?? segments?.[0]
      return found && found[1] > 0 ? { line: found[1], column: found[2] + 1 } : undefined
    },
    get packed() {
      return deflateRawSync(mappings).toString('base64')
    },
  }
}

export const unpackedMap = (packed: string): LineMap =>
  packed === '' ? sameLines : lineMap(inflateRawSync(Buffer.from(packed, 'base64')).toString())

function decoded(mappings: string): Segment[][] {
  let line = 0
  let column = 0
  return mappings.split(';').map((text) => {
    let at = 0
    const segments: Segment[] = []
    for (const field of text === '' ? [] : text.split(',')) {
      const [step = 0, , lines, columns] = numbersOf(field)
      at += step
      if (lines === undefined || columns === undefined) continue
      line += lines
      column += columns
      segments.push([at, line, column])
    }
    return segments
  })
}

const digits = new Map(
  Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', (digit, value) => [
    digit,
    value,
  ]),
)

/** Base64 VLQ: five bits a digit, the sixth says that there are more, the first bit of a number is its sign. */
function numbersOf(field: string): number[] {
  const numbers: number[] = []
  let value = 0
  let shift = 0
  for (const digit of field) {
    const bits = digits.get(digit) ?? 0
    value += (bits & 31) * 2 ** shift
    shift += 5
    if (bits & 32) continue
    numbers.push(value % 2 === 1 ? -Math.floor(value / 2) : value / 2)
    value = 0
    shift = 0
  }
  return numbers
}
