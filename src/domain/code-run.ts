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

export const cancelledResult = (
  run: Pick<RunOfCode, 'id' | 'logs'>,
  message: string,
  metrics?: CodeResult['metrics'],
): CodeResult =>
  failedResult(
    run,
    { type: 'runtime', code: 'RUNTIME_ERROR', message, details: { cancelled: true } },
    metrics,
  )

/** What a run has used, by the meter that is put away with it. Nothing, where that says nothing. */
export function usedBy(meter: unknown): CodeResult['metrics'] {
  if (typeof meter !== 'object' || meter === null) return nothingUsed
  const told = new Map(Object.entries(meter))
  const numberOf = (name: string) => (Number.isFinite(told.get(name)) ? Number(told.get(name)) : 0)
  return {
    executionTime: numberOf('executionMs'),
    memoryUsed: numberOf('memoryBytes'),
    cpuTime: numberOf('cpuMs'),
    apiCalls: numberOf('calls'),
  }
}

const nothingUsed = { executionTime: 0, memoryUsed: 0, cpuTime: 0, apiCalls: 0 }

/** What one person may have put away at once: it takes room in the database until somebody answers. */
export const mostWaitingRuns = 1_000
export const mostWaitingBytes = 1024 ** 3

/** Why a run with so much memory is not put away beside the others of the same person; nothing when there is room. */
export function whyNoRoom(others: { runs: number; bytes: number }, bytes: number): string | undefined {
  if (others.runs < mostWaitingRuns && others.bytes + bytes <= mostWaitingBytes) return undefined
  const inMB = (size: number) => Math.round(size / 1024 ** 2)
  return `It has to wait for a person, and there is no room for its ${inMB(bytes)} MB: ${others.runs} runs with ${inMB(others.bytes)} MB wait already, and at most ${mostWaitingRuns} with ${inMB(mostWaitingBytes)} MB may. Answer what they ask (signalbox ls approvals), or cancel some, and run it again`
}
