import type { CodeResult, CodeWaiting } from '#contract/execute.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import type { MachineCode } from '#worker/code/machine-code.ts'

/** A machine that runs what its few words say, line by line: what lies around it is tried. */
export function openScriptedCode() {
  const cancelled: string[] = []
  const ended = new Map<string, PromiseWithResolvers<CodeResult>>()
  const running = new Map<string, () => void>()
  const seen: { by: string; wanted: unknown; requestId: string }[] = []

  const code: MachineCode = {
    async execute(by, wanted, { signal, onLog, requestId = newId() }) {
      seen.push({ by: by.id, wanted, requestId })
      const fail = (message: string, details = {}): CodeResult => ({
        ...fine(requestId, undefined),
        success: false,
        error: {
          type: 'runtime',
          code: 'RUNTIME_ERROR',
          message,
          details: { line: 1, column: 1, ...details },
          requestId,
          timestamp: new Date().toISOString(),
        },
      })
      for (const line of wanted.code.split('\n')) {
        const [word, ...rest] = line.split(' ')
        const text = rest.join(' ')
        if (word === 'log') onLog?.('info', text)
        else if (word === 'flood')
          for (let at = 0; at < Number(text); at++) onLog?.('info', 'x'.repeat(1_000_000))
        else if (word === 'return') return { result: fine(requestId, JSON.parse(text)) }
        else if (word === 'throw') return { result: fail(text) }
        else if (word === 'late') return { result: fail('It has not begun'), isNotBegun: true }
        else if (word === 'pretend') return { result: fail('As if', { limit: 'queue' }) }
        else if (word === 'busy')
          throw new Problem('too_many_calls', 'Too many executions already', { retryAfterSec: 3 })
        else if (word === 'ask') {
          ended.set(requestId, Promise.withResolvers())
          return { waiting: waitingOf(requestId) }
        } else if (word === 'stall') {
          await new Promise<void>((resolve) => {
            running.set(requestId, resolve)
            signal.addEventListener('abort', () => resolve())
          })
          running.delete(requestId)
          cancelled.push(requestId)
          return { result: fail('It was cancelled') }
        }
      }
      return { result: fine(requestId, undefined) }
    },
    ended: (_by, requestId, { signal }) =>
      Promise.race([
        ended.get(requestId)!.promise,
        new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('Nobody listens')))
        }),
      ]),
    cancel(_by, requestId) {
      const end = running.get(requestId)
      end?.()
      return Promise.resolve(end !== undefined)
    },
    check: (by, { code, sessionId }) =>
      Promise.resolve({
        diagnostics: [{ line: 1, column: 1, message: `${code} of ${by.id} in ${sessionId ?? 'none'}` }],
      }),
    api: (by, query) => Promise.resolve(`// of ${by.id}: ${JSON.stringify(query)}\n`),
    apiFor: () => Promise.reject(new Error('Not asked here')),
    metrics: () => Promise.resolve('# HELP signalbox_code_runs_total Runs\nsignalbox_code_runs_total 1\n'),
    close: () => Promise.resolve(),
  }
  return {
    code,
    cancelled,
    seen,
    /** Somebody answers what a run that asks waits for. */
    answer: (requestId: string, result: unknown) => ended.get(requestId)?.resolve(fine(requestId, result)),
  }
}

export const fine = (requestId: string, result: unknown): CodeResult => ({
  success: true,
  result,
  metrics: { executionTime: 1, memoryUsed: 1, cpuTime: 1, apiCalls: 0 },
  logs: [],
  requestId,
})

const waitingOf = (requestId: string): CodeWaiting => ({
  requestId,
  approvals: [
    {
      id: newId(),
      tool: 'github.create_issue',
      title: 'Create an issue',
      expiresAt: new Date().toISOString(),
    },
  ],
})
