import type { Comment } from './comments.ts'
import { inOrder } from './comments.ts'
import type { DiffLine, FileDiff } from './parse-diff.ts'

/** What is drawn of a diff, one below the other. */
export type DiffRow =
  | { kind: 'file'; key: string; file: ShownFile }
  | { kind: 'note'; key: string; file: ShownFile; note: 'binary' | 'cut' | 'renamed' | 'empty' }
  | { kind: 'hunk'; key: string; file: ShownFile; heading: string }
  | { kind: 'line'; key: string; file: ShownFile; line: DiffLine }
  | { kind: 'pair'; key: string; file: ShownFile; before: DiffLine | null; after: DiffLine | null }
  | { kind: 'comment'; key: string; file: ShownFile; comment: Comment; isMoved: boolean }

/** A file of a diff with what is known of it as a whole. */
export interface ShownFile extends FileDiff {
  change: 'added' | 'modified' | 'deleted' | 'renamed' | 'untracked'
  additions: number | null
  deletions: number | null
  /** What has changed in it is too long to have come with the others. */
  isCut: boolean
}

interface Wanted {
  files: readonly ShownFile[]
  isSplit: boolean
  folded: ReadonlySet<string>
  comments: readonly Comment[]
}

export function rowsOf({ files, isSplit, folded, comments }: Wanted): DiffRow[] {
  return files.flatMap((file): DiffRow[] => {
    const head: DiffRow = { kind: 'file', key: file.path, file }
    if (folded.has(file.path)) return [head]
    const own = inOrder(comments.filter(({ path }) => path === file.path))
    const placed = new Set<string>()
    const lines = linesOf(file, isSplit, (line) =>
      own.flatMap((comment): DiffRow[] => {
        if (!isAt(comment, line)) return []
        placed.add(comment.id)
        return [{ kind: 'comment', key: comment.id, file, comment, isMoved: false }]
      }),
    )
    const moved = own
      .filter(({ id }) => !placed.has(id))
      .map((comment): DiffRow => ({ kind: 'comment', key: comment.id, file, comment, isMoved: true }))
    return [head, ...noteOf(file), ...moved, ...lines]
  })
}

function noteOf(file: ShownFile): DiffRow[] {
  const note = file.isCut
    ? 'cut'
    : file.isBinary
      ? 'binary'
      : file.hunks.length > 0
        ? undefined
        : file.oldPath === null
          ? 'empty'
          : 'renamed'
  return note ? [{ kind: 'note', key: `${file.path} note`, file, note }] : []
}

function linesOf(file: ShownFile, isSplit: boolean, after: (line: DiffLine) => DiffRow[]): DiffRow[] {
  return file.hunks.flatMap(({ heading, lines }, number): DiffRow[] => {
    const key = (place: string) => `${file.path} ${number} ${place}`
    const head: DiffRow[] = isBeginning(lines[0]) ? [] : [{ kind: 'hunk', key: key('head'), file, heading }]
    const rows = isSplit
      ? pairsOf(lines).flatMap(([one, other], index): DiffRow[] => [
          { kind: 'pair', key: key(`${index}`), file, before: one, after: other },
          ...[...new Set([one, other])].flatMap((line) => (line ? after(line) : [])),
        ])
      : lines.flatMap((line, index): DiffRow[] => [
          { kind: 'line', key: key(`${index}`), file, line },
          ...after(line),
        ])
    return [...head, ...rows]
  })
}

/** Nothing is left out before it. */
const isBeginning = (line: DiffLine | undefined): boolean =>
  (line?.before ?? 1) === 1 && (line?.after ?? 1) === 1

/** Side by side: what was removed beside what came in its place. */
export function pairsOf(lines: readonly DiffLine[]): [DiffLine | null, DiffLine | null][] {
  const pairs: [DiffLine | null, DiffLine | null][] = []
  for (let at = 0; at < lines.length;) {
    const line = lines[at]
    if (line?.kind === 'same') {
      pairs.push([line, line])
      at += 1
      continue
    }
    const removed = takeWhile(lines, at, 'removed')
    const added = takeWhile(lines, at + removed.length, 'added')
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      pairs.push([removed[index] ?? null, added[index] ?? null])
    at += removed.length + added.length
  }
  return pairs
}

function takeWhile(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): DiffLine[] {
  let end = from
  while (lines[end]?.kind === kind) end += 1
  return lines.slice(from, end)
}

/** Below the last of its lines, while that is still the one that was meant. */
function isAt({ side, to, quote }: Comment, line: DiffLine): boolean {
  return line[side] === to && (quote.split('\n').at(-1) ?? '') === line.text
}
