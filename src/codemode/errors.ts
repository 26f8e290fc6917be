import { CodeErrorCode, CodeErrorType } from '#contract/execute.ts'
import type { Diagnostic } from '#contract/execute.ts'
import { ownStack } from './errors-stack.ts'
import type { CodeEnding, Meter } from './port.ts'
import { mostDepth } from './sandbox/depth.ts'
import type { Ending, GuestError, RunLimits, TooMuch } from './sandbox/run.ts'
import type { LineMap, Place } from './strip/line-map.ts'
import { placeAt } from './strip/place.ts'
import { bodyOnly, nothingToImport } from './strip/strip.ts'

/** What is known of a run when it ends. */
export interface Told {
  map: LineMap
  /** As it was written; empty for what goes on after it was frozen. */
  written: string
  limits: RunLimits
  timeoutMs: number
  meter: Meter
}

type Failure = Omit<Extract<CodeEnding, { isFine: false }>, 'isFine' | 'meter'>

const noMeter: Meter = { executionMs: 0, cpuMs: 0, memoryBytes: 0, calls: 0 }

/** How a run ended, in words and places of whoever wrote it. */
export function endingOf(ending: Ending, told: Told): CodeEnding {
  const { meter } = told
  if (ending.how !== 'returned') return { isFine: false, ...failureOf(ending, told), meter }
  return { isFine: true, result: ending.text === '' ? undefined : JSON.parse(ending.text), meter }
}

function failureOf(ending: Exclude<Ending, { how: 'returned' }>, told: Told): Failure {
  switch (ending.how) {
    case 'threw':
      return ending.error.isUnread ? unread(ending.error, told) : thrown(ending.error, told)
    case 'timeout':
      return interrupted(timedOut(ending.of, told), ending.stack, told.map)
    case 'memory':
      return placed(outOfMemory(told.limits.memoryBytes), ending.stack, told.map)
    case 'too-much':
      return runtime(tooMuch[ending.what](ending.limit), { limit: ending.what, most: ending.limit })
    case 'cancelled':
      return runtime(ending.message, { cancelled: true })
    case 'busy':
      return busy(`others kept all threads busy for ${Math.round(ending.waitedMs)} ms`)
    case 'crashed':
      return runtime(`It could not go on: ${ending.message}`)
  }
}

/** With where it was then. */
function placed(failure: Failure, stack: string | undefined, map: LineMap): Failure {
  return { ...failure, details: { ...failure.details, ...whereOf(stack, map) } }
}

/** QuickJS is stopped where it jumps back to: the place is the last one before the loop then. */
function interrupted(failure: Failure, stack: string | undefined, map: LineMap): Failure {
  const told = placed(failure, stack, map)
  const { line } = told.details
  if (typeof line !== 'number') return told
  return { ...told, message: `${told.message}. It was at line ${line}, or in a loop that begins after it` }
}

function whereOf(stack = '', map: LineMap): { line?: number; column?: number; stack?: string } {
  const { frames, place } = ownStack(stack, map)
  return { ...place, ...(frames.length > 0 ? { stack: frames.join('\n') } : {}) }
}

function timedOut(of: 'wall' | 'cpu', { timeoutMs, limits }: Told): Failure {
  const isWall = of === 'wall'
  const limitMs = Math.round(isWall ? timeoutMs : limits.cpuMs)
  return {
    type: 'timeout',
    code: 'EXECUTION_TIMEOUT',
    message: isWall
      ? `It was not done within its ${limitMs} ms. Do less at a time, or give it more by timeout`
      : `It computed for longer than the ${limitMs} ms that are its share of ${Math.round(timeoutMs)} ms. Look for a loop that does not end, or give it more by timeout`,
    details: { limit: of, limitMs },
  }
}

const outOfMemory = (limitBytes: number): Failure => ({
  type: 'memory',
  code: 'MEMORY_LIMIT',
  message: `It needs more than its ${Math.round(limitBytes / 1024 ** 2)} MB of memory. Keep less at a time, or give it more by memoryLimit, up to sandbox.limits.memory of the configuration`,
  details: { limitBytes },
})

const tooMuch: Record<TooMuch, (limit: number) => string> = {
  result: (limit) => `It returned or sent more than ${limit} bytes at once. Return only what is needed`,
  depth: (limit) =>
    `What it returned or sent is nested more than ${limit} deep. Return or send something flatter`,
  calls: (limit) =>
    `It made more than ${limit} calls. Ask for more with each, or do it in several executions`,
  pending: (limit) => `It made more than ${limit} calls at once. Await some before the next`,
  arguments: (limit) =>
    `The arguments of the calls that it waits for are more than ${limit} bytes. Await some before the next`,
}

/** What was thrown and not caught. What failed outside keeps what it is, and gets the line where it was called. */
function thrown({ name, message, stack, ...error }: GuestError, { map, written }: Told): Failure {
  const where = whereOf(stack, map)
  const type = CodeErrorType.safeParse(error.kind)
  const code = CodeErrorCode.safeParse(error.code)
  if (type.success && code.success) {
    const details = typeof error.details === 'object' && error.details !== null ? error.details : {}
    return { type: type.data, code: code.data, message, details: { ...details, ...where } }
  }
  if (name === 'ReferenceError' && message.startsWith('could not load module'))
    return runtime(nothingToImport, { name, ...placeOfImport(written), ...where })
  const isPlain = error.thrown || name === 'Error'
  return runtime(isPlain ? message : `${name}: ${message}`, { name, ...where })
}

/** QuickJS does not say where it was: it is told where there is only one. */
function placeOfImport(written: string): Partial<Place> {
  const [only, ...others] = written.matchAll(/\bimport\s*\(/g)
  return only && others.length === 0 ? placeAt(written, only.index) : {}
}

/** QuickJS has not understood it: JavaScript, or something that nobody has looked at before. */
function unread({ message, stack = '' }: GuestError, { map, written }: Told): Failure {
  const { place = { line: 1, column: 1 } } = ownStack(stack, map)
  const line = written.split(/\r\n|[\n\r\u2028\u2029]/)[place.line - 1] ?? ''
  const told = bodyOnly(line.trimStart(), 0) ?? message
  const { isFine: _, meter: _none, ...failure } = invalid('SYNTAX_ERROR', [{ ...place, message: told }])
  return failure
}

const runtime = (message: string, details: Record<string, unknown> = {}): Failure => ({
  type: 'runtime',
  code: 'RUNTIME_ERROR',
  message,
  details,
})

/** It was not run at all. */
export function invalid(
  code: 'TYPE_ERROR' | 'SYNTAX_ERROR',
  diagnostics: Diagnostic[],
  message = summary(diagnostics),
): Extract<CodeEnding, { isFine: false }> {
  return { isFine: false, type: 'validation', code, message, details: { diagnostics }, meter: noMeter }
}

function summary([first, ...more]: Diagnostic[]): string {
  if (!first) return 'It is not valid'
  const { line, message, suggestion } = first
  const end = more.length > 0 ? ` (and ${more.length} more)` : ''
  const sentence = /[.?!]$/.test(message) ? message : `${message}.`
  return `Line ${line}: ${suggestion ? `${sentence} ${suggestion}` : message}${end}`
}

const busy = (why: string): Failure => ({
  type: 'timeout',
  code: 'EXECUTION_TIMEOUT',
  message: `It has not begun: ${why}. Try again later`,
  details: { limit: 'queue' },
  isNotBegun: true,
})

/** There was no room for it any more when it was checked. */
export const notAdmitted = (why: string): CodeEnding => ({ isFine: false, ...busy(why), meter: noMeter })

export const contextTooDeep: CodeEnding = {
  isFine: false,
  ...runtime(`It was not run: its context is nested more than ${mostDepth} deep. Give it something flatter`, {
    limit: 'depth',
    most: mostDepth,
  }),
  meter: noMeter,
}

/** It has not begun, and nobody waits for it any more. */
export const cancelled = (message: string): CodeEnding => ({
  isFine: false,
  ...runtime(message, { cancelled: true }),
  meter: noMeter,
})

/** Something of ours went wrong before it began. */
export const notBegun = (): CodeEnding => ({
  isFine: false,
  ...runtime(
    'It could not be checked: something went wrong in Signalbox itself; its log says what. Try again',
  ),
  meter: noMeter,
})
