import type { ErrorObject } from 'ajv'
import { ranOutOfTime } from '#lib/in-time.ts'
import { compiled } from './compiled-schema.ts'
import { measure } from './measure.ts'
import { CallFailed } from './port.ts'

type Schema = Record<string, unknown>

const largestArgs = 16 * 1024 * 1024
const deepestArgs = 200
const deepestAnswer = 1_000
const mostTold = 20
/** Up to this size it is worth the time to find everything that is wrong, not only the first. */
const smallEnough = 20_000

/** The size of arguments that fit; throws CallFailed `bad_arguments`, naming the fields that do not and why. */
export function checkArgs(tool: string, schema: Schema, args: Record<string, unknown>): number {
  const { size, depth } = measure(args, { most: largestArgs, deepest: deepestArgs })
  if (size > largestArgs) throw misfit(tool, [{ field: 'args', reason: 'are larger than 16 MB' }])
  if (depth > deepestArgs)
    throw misfit(tool, [{ field: 'args', reason: `are nested deeper than ${deepestArgs} levels` }])
  const wrong = faults(schema, args, 'args', size)
  if (wrong === 'too_slow')
    throw misfit(tool, [{ field: 'args', reason: 'take too long to be checked by the schema of this tool' }])
  if (wrong) throw misfit(tool, wrong)
  return size
}

/** Servers must answer as they say they do, and clients should see to it: one that does not cannot be relied on. Throws CallFailed. */
export function checkAnswer(tool: string, schema: Schema, answer: { structuredContent?: unknown }): void {
  if (answer.structuredContent === undefined) throw lie(tool, 'it answered without structured content')
  const { size, isWhole } = measure(answer.structuredContent, { most: largestArgs, deepest: deepestAnswer })
  const wrong = faults(schema, answer.structuredContent, 'structuredContent', isWhole ? size : Infinity)
  if (wrong === 'too_slow') throw lie(tool, 'its answer takes too long to be checked')
  if (wrong) throw lie(tool, wrong.map(({ field, reason }) => `${field} ${reason}`).join('; '))
}

interface Fault {
  field: string
  reason: string
}

function faults(
  schema: Schema,
  value: unknown,
  whole: string,
  size: number,
): Fault[] | 'too_slow' | undefined {
  try {
    const check = compiled(schema)
    const first = check.first(value, size)
    if (!first) return undefined
    const errors = size <= smallEnough ? (check.all(value, size) ?? first) : first
    return errors.slice(0, mostTold).map((error) => fault(error, whole))
  } catch (error) {
    // A schema that refers to itself goes as deep as the value does.
    if (ranOutOfTime(error) || error instanceof RangeError) return 'too_slow'
    throw error
  }
}

const misfit = (tool: string, fields: Fault[]) =>
  new CallFailed(
    'bad_arguments',
    `The arguments do not fit ${tool}: ${fields.map(({ field, reason }) => `${field} ${reason}`).join('; ')}.`,
    { isUnsent: true, context: { in: 'body', fields } },
  )

const lie = (tool: string, how: string) =>
  new CallFailed(
    'source_failed',
    `${tool} does not answer as its own output schema says: ${how}. It has been called, so what it does is done.`,
    { context: { tool } },
  )

function fault({ instancePath, keyword, params, message }: ErrorObject, whole: string): Fault {
  const steps = instancePath.split('/').slice(1)
  const place = [whole, ...steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))]
  const field = (...more: unknown[]) => [...place, ...more].join('.').slice(0, 300)
  const unknown = params['unevaluatedProperty'] ?? params['additionalProperty']
  if (keyword === 'required') return { field: field(params['missingProperty']), reason: 'is needed' }
  if (unknown !== undefined) return { field: field(unknown), reason: 'is not known' }
  const allowed: unknown = params['allowedValues']
  const reason = Array.isArray(allowed)
    ? `must be one of ${allowed.slice(0, mostTold).map(spelled).join(', ')}`
    : message
  return { field: field(), reason: (reason ?? 'does not fit').slice(0, 500) }
}

const spelled = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 100)
