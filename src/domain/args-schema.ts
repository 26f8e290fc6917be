import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { ArgsSchema } from '#contract/capability.ts'
import { inTime, ranOutOfTime } from '#lib/in-time.ts'
import { Problem, bodyMisfit } from './problem.ts'
import { flagPattern } from './spread.ts'

type Args = Record<string, unknown>

const largestSchema = 65_536
const compiled = new Map<string, ValidateFunction>()
const mostCompiled = 200

/** Finds out what a schema says. Throws when that cannot be. */
export type Understand = (schema: ArgsSchema) => unknown

/** Throws `does_not_fit` when this cannot be the schema of a capability's arguments. */
export function checkArgsSchema(schema: ArgsSchema, understand: Understand = compile): void {
  if (schema['type'] !== 'object') throw bodyMisfit('argsSchema.type', 'must be "object"')
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  if (bytes > largestSchema)
    throw bodyMisfit('argsSchema', `is ${bytes} bytes long; at most ${largestSchema} are allowed`)
  const elsewhere = outwardReference(schema)
  if (elsewhere !== undefined)
    throw bodyMisfit(
      'argsSchema',
      `refers to ${elsewhere}: only references within the schema (#/…) are allowed`,
    )
  try {
    understand(schema)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw bodyMisfit('argsSchema', ranOutOfTime(error) ? 'takes too long to be understood' : reason)
  }
}

/** The arguments with the schema's defaults. Throws `does_not_fit` naming every argument that is wrong. */
export function checkArgs(schema: ArgsSchema, given: Args): Args {
  if (asksForNothing(schema) && Object.keys(given).length === 0) return {}
  return checkBy(() => compile(schema), given, 'args')
}

/** Most that are asked in words take no arguments beside them. */
const asksForNothing = (schema: ArgsSchema): boolean =>
  schema['type'] === 'object' && Object.keys(schema).length === 1

/** Throws the same for a form that an agent wrote. Should it be no schema that we understand, the agent has to check. */
export function checkFields(schema: ArgsSchema, given: Args, place: string): void {
  let validate: ValidateFunction
  try {
    validate = compile(schema, { strict: false })
  } catch {
    return
  }
  checkBy(() => validate, given, place)
}

function checkBy(compiledSchema: () => ValidateFunction, given: Args, place: string): Args {
  const args = structuredClone(given)
  try {
    const validate = compiledSchema()
    if (inTime(() => validate(args))) return args
    const fields = (validate.errors ?? []).slice(0, 20).map((error) => complaint(error, place))
    const [first] = fields
    throw new Problem('does_not_fit', `The body does not fit: ${first?.field}: ${first?.reason}`, {
      in: 'body',
      fields,
    })
  } catch (error) {
    throw ranOutOfTime(error) ? bodyMisfit(place, 'take too long to be checked') : error
  }
}

function compile(schema: ArgsSchema, options: { strict: boolean } = { strict: true }): ValidateFunction {
  const text = JSON.stringify([options, schema])
  const known = compiled.get(text)
  if (known) return known
  const validate = inTime(() => newAjv(options).compile(closed(schema)))
  const [oldest] = compiled.keys()
  if (compiled.size >= mostCompiled && oldest !== undefined) compiled.delete(oldest)
  compiled.set(text, validate)
  return validate
}

/** What the schema does not know is refused, unless it says otherwise itself. */
function closed(schema: ArgsSchema): ArgsSchema {
  const isOpen = 'additionalProperties' in schema || 'unevaluatedProperties' in schema
  return isOpen ? schema : { ...schema, unevaluatedProperties: false }
}

/** For many schemas of the same author, none of which has an $id: what is learnt for the first serves all, and goes with this function. */
export function understandMany(): Understand {
  const ajv = newAjv({ strict: true })
  return (schema) => inTime(() => ajv.compile(closed(schema)))
}

// One for each schema: a shared one would keep all of them for ever, and mix up those with the same $id.
const newAjv = ({ strict }: { strict: boolean }) =>
  new Ajv2020({
    strict,
    keywords: strict ? optionKeywords : [],
    strictTypes: false,
    strictTuples: false,
    allErrors: true,
    useDefaults: true,
    validateFormats: false, // in this version of JSON Schema `format` is a remark, not a rule
    logger: false,
  })

// How a property becomes an option of a command: they say nothing about its value.
const optionKeywords = [
  { keyword: 'x-flag', metaSchema: { type: 'string', pattern: flagPattern, maxLength: 100 } },
  { keyword: 'x-joined', metaSchema: { type: 'boolean' } },
]

function outwardReference(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  for (const [key, value] of Object.entries(part)) {
    const refers = key === '$ref' || key === '$dynamicRef'
    if (refers && typeof value === 'string' && !value.startsWith('#')) return value
    const deeper = outwardReference(value)
    if (deeper !== undefined) return deeper
  }
  return undefined
}

function complaint(
  { instancePath, keyword, params, message }: ErrorObject,
  whole: string,
): { field: string; reason: string } {
  const steps = instancePath.split('/').slice(1)
  const place = [whole, ...steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))]
  const unknown = params['unevaluatedProperty'] ?? params['additionalProperty']
  if (keyword === 'required')
    return { field: [...place, params['missingProperty']].join('.'), reason: 'is needed' }
  if (unknown !== undefined)
    return {
      field: [...place, unknown].join('.'),
      reason: whole === 'args' ? 'is not an argument of this capability' : 'is not asked for',
    }
  const allowed = params['allowedValues']
  const reason = Array.isArray(allowed) ? `must be one of ${allowed.map(String).join(', ')}` : message
  return { field: place.join('.'), reason: reason ?? 'does not fit' }
}
