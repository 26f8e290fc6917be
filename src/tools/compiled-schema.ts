import { Ajv } from 'ajv'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { inTime, ranOutOfTime } from '#lib/in-time.ts'
import { measure } from './measure.ts'

type Schema = Record<string, unknown>

/** Throws what `ranOutOfTime` knows when the check takes for ever. `size` is that of the value, as it was measured. */
export interface Check {
  /** The first thing that is wrong, if something is. */
  first(value: unknown, size: number): readonly ErrorObject[] | undefined
  /** All that is wrong. */
  all(value: unknown, size: number): readonly ErrorObject[] | undefined
}

const mostKept = 2_000
const kept = new Map<Schema, Check>()

/** Compiled once for each schema object; the oldest are let go. */
export function compiled(schema: Schema): Check {
  const known = kept.get(schema)
  if (known) return known
  const check = givenUpWhenSlow(schema)
  const [oldest] = kept.keys()
  if (kept.size >= mostKept && oldest) kept.delete(oldest)
  kept.set(schema, check)
  return check
}

/** So often a schema may cost us half a second for nothing: then only its outline counts. */
const mostTimesSlow = 2

function givenUpWhenSlow(schema: Schema): Check {
  const { isOld, largestQuick } = lookAt(schema)
  const validators: Partial<Record<Depth, ValidateFunction>> = {}
  let timesSlow = 0
  const check = (depth: Depth, value: unknown, size: number) => {
    const isGivenUp = timesSlow >= mostTimesSlow
    try {
      const validate = (validators[depth] ??= isGivenUp ? outlined(schema) : compile(schema, isOld, depth))
      const fits = size > largestQuick && !isGivenUp ? inTime(() => validate(value)) : validate(value)
      return fits ? undefined : (validate.errors ?? [])
    } catch (error) {
      if (ranOutOfTime(error)) timesSlow += 1
      if (timesSlow >= mostTimesSlow) for (const depth of depths) delete validators[depth]
      throw error
    }
  }
  return {
    first: (value, size) => check('first', value, size),
    all: (value, size) => check('all', value, size),
  }
}

type Depth = keyof Check
const depths: readonly Depth[] = ['first', 'all']

/**
 * By the newest rules, or by the older ones that its author may have meant. A schema that neither understands (a reference to
 * somewhere else is never followed) binds nobody: whoever offers the tool has to check.
 */
function compile(schema: Schema, isOld: boolean, depth: Depth): ValidateFunction {
  const { $schema: _, ...rest } = schema
  for (const kind of isOld ? (['old', 'new'] as const) : (['new', 'old'] as const)) {
    try {
      return inTime(() => compileBy(kind, rest, depth))
    } catch (error) {
      if (ranOutOfTime(error)) throw error
    }
  }
  return outlined(schema)
}

/** What can be read of it all the same. */
function outlined({ required }: Schema): ValidateFunction {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
  return compileBy('new', { type: 'object', required: [...new Set(names)] }, 'all')
}

const idle = new Map<string, Ajv | Ajv2020>()

/** One that was stopped in the middle of its work is not used again, nor one that has learnt a name. */
function compileBy(kind: 'new' | 'old', schema: Schema, depth: Depth): ValidateFunction {
  const key = `${kind} ${depth}`
  const ajv = idle.get(key) ?? newAjv(kind, depth)
  idle.delete(key)
  const validate = ajv.compile(schema)
  ajv.removeSchema(schema)
  if (!hasKey(schema, (name) => names.has(name))) idle.set(key, ajv)
  return validate
}

function newAjv(kind: 'new' | 'old', depth: Depth) {
  const ajv = new (kind === 'old' ? Ajv : Ajv2020)({
    allErrors: depth === 'all',
    strict: false,
    // Patterns that others take, such as `[\w-.]`, are none for `u`.
    unicodeRegExp: false,
    // What every object inherits (`constructor`, `toString`) was not given.
    ownProperties: true,
    logger: false,
  })
  formats.default(ajv, { mode: 'fast' })
  return ajv
}

const names = new Set(['$id', '$anchor', '$dynamicAnchor', '$recursiveAnchor'])
const slow = new Set(['pattern', 'patternProperties', 'uniqueItems', '$ref', '$dynamicRef', '$recursiveRef'])

/**
 * Whatever else a schema says, each part of it is held against each part of a value at most once: up to this, that takes a few
 * milliseconds, and the clock, which costs half of one, is not needed.
 */
const mostPairs = 10_000_000
/** What a format is compared by is nobody's but ours, yet it was not written for books. */
const longestFormatted = 4_096

function lookAt(schema: Schema): { isOld: boolean; largestQuick: number } {
  const isOld = typeof schema['$schema'] === 'string' && /draft-0\d/.test(schema['$schema'])
  if (hasKey(schema, (key) => slow.has(key))) return { isOld, largestQuick: -1 }
  const { size, isWhole } = measure(schema, { most: mostPairs, deepest: 1_000 })
  const largest = isWhole ? mostPairs / size : -1
  const isFormatted = hasKey(schema, (key) => key === 'format')
  return { isOld, largestQuick: isFormatted ? Math.min(longestFormatted, largest) : largest }
}

/** Anywhere in it: a property of that name counts too. It is not deeper than a definition may be. */
const hasKey = (part: unknown, is: (key: string) => boolean): boolean =>
  typeof part === 'object' &&
  part !== null &&
  Object.entries(part).some(([key, value]) => is(key) || hasKey(value, is))
