import { diffOf } from '../session/unified-diff.ts'
import type { Diff } from '../session/transcript-row.ts'

export interface ChangesAsked {
  diffs: Diff[]
  /** What else is told, which is to be seen too. */
  rest: Record<string, unknown>
}

/** What is longer would not be shown whole, and a yes is a yes to all of it. */
const most = 50_000
const mostLines = 1500

/**
 * The changes to files that somebody is asked to allow, if that is what it is: as agents of each kind tell them. Nothing where not
 * all of it can be shown as changes.
 */
export function changesAsked(input: unknown): ChangesAsked | undefined {
  if (!isObject(input)) return undefined
  const found = asEdit(input) ?? asList(input, 'changes') ?? asList(input, 'diffs')
  if (!found) return undefined
  const { told, rest } = found
  const diffs = told.map(diffOf)
  const isWhole = diffs.every(
    (diff) => diff && diff.text.length < most && diff.text.split('\n').length < mostLines,
  )
  return isWhole && diffs.length > 0 ? { diffs: diffs.filter((diff) => diff !== undefined), rest } : undefined
}

interface Found {
  told: Record<string, unknown>[]
  rest: Record<string, unknown>
}

/** One place in a file, by what stands there. */
function asEdit(input: Record<string, unknown>): Found | undefined {
  const { file_path: file, old_string: oldText, new_string: newText, ...rest } = input
  if (typeof file !== 'string' || typeof oldText !== 'string' || typeof newText !== 'string') return undefined
  return { told: [{ path: file, oldText, newText }], rest }
}

/** Several files, each with its path and nothing that a list of changes does not show. */
function asList(input: Record<string, unknown>, name: 'changes' | 'diffs'): Found | undefined {
  const { [name]: list, ...others } = input
  if (
    !Array.isArray(list) ||
    !list.every((one) => isObject(one) && typeof one['path'] === 'string' && !('movedTo' in one))
  )
    return undefined
  const told = list as Record<string, unknown>[]
  const { title: _title, paths, ...rest } = others
  const named = new Set(told.map(({ path }) => path))
  const isNamed = Array.isArray(paths) && paths.every((path) => named.has(path))
  return { told, rest: { ...rest, ...(paths !== undefined && !isNamed && { paths }) } }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
