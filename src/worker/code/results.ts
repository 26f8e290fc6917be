import type { CodeEnding, Meter, Outcome } from '#codemode/port.ts'
import { CodeFailed } from '#codemode/port.ts'
import type { CodeResult } from '#contract/execute.ts'
import { cancelledResult, failedResult } from '#domain/code-run.ts'
import { Problem } from '#domain/problem.ts'
import { isNestedDeeper } from '#lib/nested-deeper.ts'
import { TooMuchWaits } from '#flows/freeze-code-run.ts'

/** What came of a run, as whoever ran it is told. */
export function resultOf(run: { id: string; logs: readonly string[] }, ending: CodeEnding): CodeResult {
  const metrics = metricsOf(ending.meter)
  if (!ending.isFine) {
    const { type, code, message, details } = ending
    return failedResult(run, { type, code, message, details }, metrics)
  }
  return { success: true, result: ending.result, metrics, logs: [...run.logs], requestId: run.id }
}

export const metricsOf = ({ executionMs, memoryBytes, cpuMs, calls }: Meter): CodeResult['metrics'] => ({
  executionTime: executionMs,
  memoryUsed: memoryBytes,
  cpuTime: cpuMs,
  apiCalls: calls,
})

/** It must not go on, or there is no room for it; anything else is a bug. */
export const isForeseen = (error: unknown): error is Problem | TooMuchWaits =>
  error instanceof Problem || error instanceof TooMuchWaits

/** The end of a run that has done nothing wrong itself. */
export function faultResult(
  run: { id: string; logs: readonly string[] },
  error: unknown,
  metrics: CodeResult['metrics'],
): CodeResult {
  if (error instanceof Problem) return cancelledResult(run, error.message, metrics)
  const message = isForeseen(error)
    ? error.message
    : 'Something went wrong in Signalbox itself, and the code did not go on; its log says what'
  return failedResult(run, { type: 'runtime', code: 'RUNTIME_ERROR', message }, metrics)
}

/** What came of a call, as the journal keeps it. */
export type KeptOutcome =
  | { value?: unknown }
  | { failed: Pick<CodeFailed, 'type' | 'code' | 'message' | 'details'> }

export function keptOutcome(outcome: Outcome): KeptOutcome {
  if (!('failed' in outcome))
    return isNestedDeeper(outcome.value, deepest) ? { failed: tooDeep } : { value: outcome.value }
  const { type, code, message, details } = outcome.failed
  return { failed: { type, code, message, details: isNestedDeeper(details, deepest) ? {} : details } }
}

/** Deeper than that code does not get it, and it cannot be written down. */
const deepest = 1_000
const tooDeep: Pick<CodeFailed, 'type' | 'code' | 'message' | 'details'> = {
  type: 'runtime',
  code: 'RUNTIME_ERROR',
  message: `What came back is nested more than ${deepest} deep, which code does not get`,
  details: {},
}

export function outcomeOf(call: number, kept: KeptOutcome): Outcome {
  if (!('failed' in kept)) return { call, value: kept.value }
  const { type, code, message, details } = kept.failed
  return { call, failed: new CodeFailed(type, code, message, details) }
}

const mostLines = 2_000

/** Lines that are kept with the result; those beyond are told as they come, and only counted. */
export function openLogs(lines: string[]): { lines: string[]; add(line: string): void } {
  return {
    lines,
    add(line) {
      if (lines.length < mostLines) lines.push(line)
      else if (lines.length === mostLines) lines.push(`Only the first ${mostLines} lines are kept`)
    },
  }
}
