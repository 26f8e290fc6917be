import type { Principal } from '#contract/access.ts'
import type { CodeError, CodeResult, ExecuteCode } from '#contract/execute.ts'

// A run of code: whose it is, and what came of it.

/** A run as far as it matters here. */
export interface RunOfCode {
  id: string
  principal: Principal
  createdBy: string
  sessionId: string | null
  wanted: Pick<ExecuteCode, 'code'>
  logs: readonly string[]
}

/** The person whose it is: an agent runs code for whoever's session it is. */
export const personOf = (by: Principal): string => by.agent?.onBehalfOf ?? by.id

/** Another's does not exist for them. An agent sees what runs in its own session. */
export function isTheirRun(
  by: Principal,
  run: Pick<RunOfCode, 'principal' | 'createdBy' | 'sessionId'>,
): boolean {
  if (by.agent) return run.principal.kind === 'agent' && run.sessionId === by.agent.sessionId
  return by.kind === 'owner' || run.createdBy === by.id
}

export function failedResult(
  { id, logs }: Pick<RunOfCode, 'id' | 'logs'>,
  error: Pick<CodeError, 'type' | 'code' | 'message'> & Partial<Pick<CodeError, 'details'>>,
  metrics: CodeResult['metrics'] = nothingUsed,
): CodeResult {
  return {
    success: false,
    error: { details: {}, ...error, requestId: id, timestamp: new Date().toISOString() },
    metrics,
    logs: [...logs],
    requestId: id,
  }
}

export const cancelledResult = (run: Pick<RunOfCode, 'id' | 'logs'>, message: string): CodeResult =>
  failedResult(run, { type: 'runtime', code: 'RUNTIME_ERROR', message, details: { cancelled: true } })

const nothingUsed = { executionTime: 0, memoryUsed: 0, cpuTime: 0, apiCalls: 0 }
