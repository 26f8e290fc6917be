import { clip } from './clip.ts'
import type { Diff } from './transcript-row.ts'

const around = 3

/** What was told of a change, as a unified diff: some agents tell one, others the text before and after. */
export function diffOf(told: Record<string, unknown>): Diff | undefined {
  const path = typeof told['path'] === 'string' ? told['path'] : ''
  const { diff, oldText, newText } = told
  if (typeof diff === 'string') return diff === '' ? undefined : counted(path, diff)
  if (typeof newText !== 'string') return undefined
  return counted(path, unified(typeof oldText === 'string' ? oldText : null, newText))
}

function counted(path: string, whole: string): Diff {
  const lines = whole.split('\n')
  const count = (mark: string, head: string) =>
    lines.filter((line) => line.startsWith(mark) && !line.startsWith(head)).length
  const { text } = clip(whole)
  return { path, text, added: count('+', '+++ '), removed: count('-', '--- ') }
}

/** One hunk: from the first line that differs to the last. */
function unified(before: string | null, after: string): string {
  const old = before === null ? [] : linesOf(before)
  const now = linesOf(after)
  let same = 0
  while (same < old.length && same < now.length && old[same] === now[same]) same += 1
  let tail = 0
  const most = Math.min(old.length, now.length) - same
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1
  const from = Math.max(0, same - around)
  const rest = Math.max(0, tail - around)
  return [
    `@@ -${range(from, old.length - rest)} +${range(from, now.length - rest)} @@`,
    ...old.slice(from, same).map((line) => ` ${line}`),
    ...old.slice(same, old.length - tail).map((line) => `-${line}`),
    ...now.slice(same, now.length - tail).map((line) => `+${line}`),
    ...now.slice(now.length - tail, now.length - rest).map((line) => ` ${line}`),
  ].join('\n')
}

const range = (from: number, to: number) => `${to > from ? from + 1 : from},${to - from}`
const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
