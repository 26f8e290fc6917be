import type { Change } from './replace-text.ts'

const context = 3
const longestDiff = 64 * 1024

/** Lines of the old text that have become lines of the new one; both from 0, the end not included. */
interface Hunk {
  before: { from: number; to: number }
  after: { from: number; to: number }
}

/** A unified diff of one file, from the places that were changed in it. Cut when it is very long. */
export function unifiedDiff(path: string, before: string, after: string, changes: readonly Change[]): string {
  if (before === after) return ''
  const [old, now] = [linesOf(before), linesOf(after)]
  const parts = [`--- a/${path}\n+++ b/${path}\n`]
  let length = 0
  for (const group of grouped(changedLines(old, now, changes))) {
    const part = written(group, old, now)
    parts.push(part.slice(0, longestDiff - length))
    length += part.length
    if (length <= longestDiff) continue
    parts.push('\n\\ The diff is longer than this\n')
    break
  }
  return parts.join('')
}

interface Lines {
  text: readonly string[]
  /** Where each line begins. */
  starts: readonly number[]
}

/** With their ends. */
function linesOf(text: string): Lines {
  const [lines, starts]: [string[], number[]] = [[], []]
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at)
    const next = end === -1 ? text.length : end + 1
    lines.push(text.slice(at, next))
    starts.push(at)
    at = next
  }
  // After the last newline something could begin: what is changed there is not in the line before.
  if (!lines.at(-1) || lines.at(-1)!.endsWith('\n')) starts.push(text.length)
  return { text: lines, starts }
}

/** Of changes one after another; those that share a line are one, and lines that are the same at both ends are left out. */
function changedLines(old: Lines, now: Lines, changes: readonly Change[]): Hunk[] {
  const hunks: Hunk[] = []
  for (const { before, after } of changes) {
    const hunk = { before: touched(old, before), after: touched(now, after) }
    const last = hunks.at(-1)
    if (last && (hunk.before.from < last.before.to || hunk.after.from < last.after.to)) {
      last.before.to = Math.max(last.before.to, hunk.before.to)
      last.after.to = Math.max(last.after.to, hunk.after.to)
    } else hunks.push(hunk)
  }
  return hunks.map((hunk) => aligned(hunk, old, now))
}

function touched(
  { starts }: Lines,
  { from, to }: { from: number; to: number },
): { from: number; to: number } {
  const first = Math.max(0, lastAtOrBefore(starts, from))
  return { from: first, to: Math.max(first, lastAtOrBefore(starts, to)) + 1 }
}

function lastAtOrBefore(starts: readonly number[], place: number): number {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (starts[middle]! <= place) low = middle + 1
    else high = middle
  }
  return low - 1
}

function aligned({ before, after }: Hunk, old: Lines, now: Lines): Hunk {
  const hunk = {
    before: { from: before.from, to: Math.min(before.to, old.text.length) },
    after: { from: after.from, to: Math.min(after.to, now.text.length) },
  }
  const isSame = (one: number, other: number) => old.text[one] === now.text[other]
  const hasBoth = () => hunk.before.from < hunk.before.to && hunk.after.from < hunk.after.to
  for (; hasBoth() && isSame(hunk.before.from, hunk.after.from); hunk.before.from++) hunk.after.from++
  for (; hasBoth() && isSame(hunk.before.to - 1, hunk.after.to - 1); hunk.before.to--) hunk.after.to--
  return hunk
}

/** Those whose context would overlap. */
function grouped(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = []
  for (const hunk of hunks) {
    if (hunk.before.from === hunk.before.to && hunk.after.from === hunk.after.to) continue
    const last = groups.at(-1)?.at(-1)
    if (last && hunk.before.from - last.before.to <= 2 * context) groups.at(-1)!.push(hunk)
    else groups.push([hunk])
  }
  return groups
}

function written(group: readonly Hunk[], old: Lines, now: Lines): string {
  const [first, last] = [group[0]!, group.at(-1)!]
  const from = Math.max(0, first.before.from - context)
  const to = Math.min(old.text.length, last.before.to + context)
  const nowFrom = first.after.from - (first.before.from - from)
  const nowTo = last.after.to + (to - last.before.to)
  const lines: string[] = []
  let [at, length] = [from, 0]
  const add = (mark: string, { text }: Lines, first: number, end: number): void => {
    // Nobody will see what is beyond the longest.
    for (let line = first; line < end && length <= longestDiff; line += 1)
      length += lines.push(marked(mark, text[line]!)) && text[line]!.length + 1
  }
  for (const { before, after } of group) {
    add(' ', old, at, before.from)
    add('-', old, before.from, before.to)
    add('+', now, after.from, after.to)
    at = before.to
    if (length > longestDiff) break
  }
  add(' ', old, at, to)
  return `@@ -${span(from, to)} +${span(nowFrom, nowTo)} @@\n${lines.join('')}`
}

/** As diff says it: an empty part is named by the line before it. */
const span = (from: number, to: number): string => `${from === to ? from : from + 1},${to - from}`

const marked = (mark: string, line: string): string =>
  `${mark}${line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`}`
