import type { Place } from './line-map.ts'

/** Line and column of a position in a text: lines end as JavaScript has it, `\r\n` being one end. */
export function placeAt(text: string, position: number): Place {
  const before = text.slice(0, position)
  let line = 1
  let start = 0
  for (const end of before.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) {
    line += 1
    start = end.index + end[0].length
  }
  return { line, column: position - start + 1 }
}

/** The position of a place, as `placeAt` has it. */
export function positionOf(text: string, { line, column }: Place): number {
  let start = 0
  let count = 1
  for (const end of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) {
    if (count === line) break
    count += 1
    start = end.index + end[0].length
  }
  return Math.min(text.length, start + column - 1)
}
