import type { CodeEnding, Meter, Outcome } from '#codemode/port.ts'
import { CodeFailed } from '#codemode/port.ts'
import type { CodeResult } from '#contract/execute.ts'
import { failedResult } from '#domain/code-run.ts'

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

/** What came of a call, as the journal keeps it. */
export type KeptOutcome =
  | { value?: unknown }
  | { failed: Pick<CodeFailed, 'type' | 'code' | 'message' | 'details'> }

export function keptOutcome(outcome: Outcome): KeptOutcome {
  if (!('failed' in outcome)) return { value: outcome.value }
  const { type, code, message, details } = outcome.failed
  return { failed: { type, code, message, details } }
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
