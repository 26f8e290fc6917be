import { z } from 'zod'
import type { Complaint } from './config-error.ts'
import { nearestWord } from '#lib/nearest-word.ts'
import { dropAt } from '#lib/tree.ts'
import type { Path } from '#lib/tree.ts'
import { showPath } from './yaml.ts'

/**
 * Fits a tree to its shape, and says of every part that does not fit where it stands and what it should be. The rest
 * is given back without those parts, so that it can be looked at further, unless they cannot be left out.
 */
export function check<Value>(
  shape: z.ZodType<Value>,
  tree: unknown,
  whereIs: (path: Path, part: 'key' | 'value') => string,
  complain: (complaint: Complaint) => void,
): Value | undefined {
  const result = shape.safeParse(tree)
  if (result.success) return result.data
  for (const issue of result.error.issues) {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
    if (issue.code !== 'unrecognized_keys') {
      complain({ where: whereIs(path, 'value'), path: showPath(path), what: whatIsWrong(issue) })
      continue
    }
    const known = keysAt(shape, path)
    for (const key of issue.keys) {
      const near = nearestWord(key, known)
      const instead = near ? `did you mean ${near}?` : `known here: ${known.join(', ')}`
      const place = [...path, key]
      complain({
        where: whereIs(place, 'key'),
        path: showPath(place),
        what: `is not a known key; ${instead}`,
      })
    }
  }
  const rest = structuredClone(tree)
  for (const issue of result.error.issues) {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
    if (issue.code === 'unrecognized_keys') for (const key of issue.keys) dropAt(rest, [...path, key])
    else if (!dropAt(rest, path)) dropAt(rest, path.slice(0, -1))
  }
  return shape.safeParse(rest).data
}

function whatIsWrong(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_big') return `has more than ${String(issue.maximum)} entries`
  if (issue.code !== 'invalid_type') return issue.message
  if (issue.expected === 'array') return 'must be a list, for example ["one", "two"]'
  if (issue.expected === 'object' || issue.expected === 'record') return 'must be a map of keys and values'
  return issue.message
}

/** The keys that a shape knows at a path. */
function keysAt(shape: z.core.$ZodType, path: Path): string[] {
  const found = path.reduce<z.core.$ZodType | undefined>(
    (at, key) => (at ? childOf(unwrap(at), key) : undefined),
    shape,
  )
  const inner = found && unwrap(found)
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : []
}

/** The shape without what is wrapped around it: defaults, `optional`, transformations. */
export function unwrap(shape: z.core.$ZodType): z.core.$ZodType {
  if (shape instanceof z.ZodPipe) return shape.in instanceof z.ZodUnknown ? shape : unwrap(shape.in)
  if (shape instanceof z.ZodDefault || shape instanceof z.ZodPrefault || shape instanceof z.ZodOptional)
    return unwrap(shape.unwrap())
  return shape
}

function childOf(shape: z.core.$ZodType, key: string | number): z.core.$ZodType | undefined {
  if (shape instanceof z.ZodObject) return Object.hasOwn(shape.shape, key) ? shape.shape[key] : undefined
  if (shape instanceof z.ZodRecord) return shape.valueType
  return shape instanceof z.ZodArray ? shape.element : undefined
}
