import { CodeErrorCode, CodeErrorType } from '#contract/execute.ts'
import type { Diagnostic } from '#contract/execute.ts'
import type { CodeEnding, Meter } from './port.ts'
import type { Ending, GuestError, RunLimits } from './sandbox/vm.ts'
import type { LineMap } from './strip/line-map.ts'
import { ownStack } from './errors-stack.ts'

/** What is known of a run when it ends. */
export interface Told {
  map: LineMap
  limits: RunLimits
  timeoutMs: number
  meter: Meter
}

type Failure = Omit<Extract<CodeEnding, { isFine: false }>, 'isFine' | 'meter'>

/** How a run ended, in words and places of whoever wrote it. */
export function endingOf(ending: Ending, told: Told): CodeEnding {
  const { meter } = told
  if (ending.how === 'returned') return { isFine: true, result: JSON.parse(ending.text), meter }
  return { isFine: false, ...failureOf(ending, told), meter }
}

function failureOf(ending: Exclude<Ending, { how: 'returned' }>, told: Told): Failure {
  switch (ending.how) {
    case 'threw':
      return thrown(ending.error, told.map)
    case 'timeout':
      return timedOut(ending.of, told)
    case 'memory':
      return {
        type: 'memory',
        code: 'MEMORY_LIMIT',
        message: `It took more than the ${megabytes(told.limits.memoryBytes)} of memory that it may. Keep less at a time, or ask for more by memoryLimit`,
        details: { limitBytes: told.limits.memoryBytes },
      }
    case 'too-much':
      return tooMuch(ending.what, ending.limit)
    case 'crashed':
      return {
        type: 'runtime',
        code: 'RUNTIME_ERROR',
        message: `It could not go on: ${ending.message}`,
        details: {},
      }
  }
}

function timedOut(of: 'wall' | 'cpu', { timeoutMs, limits }: Told): Failure {
  const isWall = of === 'wall'
  const limitMs = Math.round(isWall ? timeoutMs : limits.cpuMs)
  return {
    type: 'timeout',
    code: 'EXECUTION_TIMEOUT',
    message: isWall
      ? `It was not done within ${limitMs} ms. Do less at a time, or give it more by timeout`
      : `It computed for more than ${limitMs} ms, which is its share of its ${Math.round(timeoutMs)} ms. Look for a loop that does not end, or give it more by timeout`,
    details: { limit: of, limitMs },
  }
}

const tooMuch = (what: 'result' | 'calls' | 'logs', limit: number): Failure => ({
  type: 'runtime',
  code: 'RUNTIME_ERROR',
  message: {
    result: `What it returned or sent is larger than ${limit} bytes. Return only what is needed of it`,
    calls: `It made more than ${limit} calls. Ask for more with each of them, or do it in several executions`,
    logs: `It logged more than ${limit} bytes`,
  }[what],
  details: { limit: what, most: limit },
})

/** What was thrown and not caught. What failed outside keeps what it is, and gets the line where it was called. */
function thrown(error: GuestError, map: LineMap): Failure {
  const { frames, place } = ownStack(error.stack ?? '', map)
  const type = CodeErrorType.safeParse(error.kind)
  const code = CodeErrorCode.safeParse(error.code)
  const where = {
    ...place,
    ...(frames.length > 0 ? { stack: frames.join('\n') } : {}),
  }
  if (type.success && code.success) {
    const details = typeof error.details === 'object' && error.details !== null ? error.details : {}
    return { type: type.data, code: code.data, message: error.message, details: { ...details, ...where } }
  }
  if (error.name === 'SyntaxError' && error.stack === undefined)
    return { type: 'validation', code: 'SYNTAX_ERROR', message: error.message, details: where }
  const message = error.thrown || error.name === 'Error' ? error.message : `${error.name}: ${error.message}`
  return { type: 'runtime', code: 'RUNTIME_ERROR', message, details: { name: error.name, ...where } }
}

const noMeter: Meter = { executionMs: 0, cpuMs: 0, memoryBytes: 0, calls: 0 }

/** It was not run at all. */
export function invalid(code: 'TYPE_ERROR' | 'SYNTAX_ERROR', diagnostics: Diagnostic[]): CodeEnding {
  const [first] = diagnostics
  const more = diagnostics.length > 1 ? ` (and ${diagnostics.length - 1} more)` : ''
  const message = first
    ? `Line ${first.line}: ${first.message}${first.suggestion ? ` ${first.suggestion}` : ''}${more}`
    : 'It could not be checked'
  return { isFine: false, type: 'validation', code, message, details: { diagnostics }, meter: noMeter }
}

export const failed = (failure: Failure): CodeEnding => ({ isFine: false, ...failure, meter: noMeter })

const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MB`
