import type { Listed } from '../../../src/contract/workspace-tool.ts'
import { filesStrings as words } from '../../strings/files.ts'

export interface TreeRow {
  /** A note says something in the place of what is in a folder. */
  kind: Listed['entries'][number]['kind'] | 'note'
  path: string
  name: string
  depth: number
  size: number
}

/** A folder as far as it is read. */
export interface Answer {
  data?: Listed | undefined
  error?: Error | null
}

/** What is seen of a tree: folders first, what is open with all that is in it. */
export function entriesOf(
  known: ReadonlyMap<string, Answer>,
  open: ReadonlySet<string>,
  folder = '',
  depth = 0,
): TreeRow[] {
  const { data, error } = known.get(folder) ?? {}
  const note = (name: string): TreeRow => ({ kind: 'note', path: `${folder}//${name}`, name, depth, size: 0 })
  if (error) return [note(error.message)]
  if (!data) return [note(words.reading)]
  const entries = data.entries.toSorted(
    (one, other) =>
      Number(other.kind === 'folder') - Number(one.kind === 'folder') || one.name.localeCompare(other.name),
  )
  const rows = entries.flatMap(({ kind, name, size }) => {
    const path = folder === '' ? name : `${folder}/${name}`
    const row: TreeRow = { kind, path, name, depth, size }
    return kind === 'folder' && open.has(path) ? [row, ...entriesOf(known, open, path, depth + 1)] : [row]
  })
  return [
    ...(rows.length === 0 ? [note(words.empty)] : rows),
    ...(data.truncated ? [note(words.folderCut)] : []),
  ]
}
