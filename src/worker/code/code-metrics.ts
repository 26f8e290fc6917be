import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { CodeMode } from '#codemode/port.ts'
import type { CodeResult } from '#contract/execute.ts'

/** For Prometheus: what code mode does on this machine. */
export interface CodeMetrics {
  /** A run has ended. */
  note(result: Pick<CodeResult, 'success' | 'error' | 'metrics'>): void
  text(): Promise<string>
}

export function openCodeMetrics(machineId: string, load: CodeMode['load']): CodeMetrics {
  const registry = new Registry()
  registry.setDefaultLabels({ machine: machineId })
  const registers = [registry]
  const runs = new Counter({
    name: 'signalbox_code_runs_total',
    help: 'Runs of code that have ended, by what came of them: ok, or the code of the error',
    labelNames: ['outcome'],
    registers,
  })
  const seconds = new Histogram({
    name: 'signalbox_code_run_duration_seconds',
    help: 'How long runs of code took, without the time in which a person was waited for',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 15, 60, 600],
    registers,
  })
  const calls = new Counter({
    name: 'signalbox_code_calls_total',
    help: 'What runs of code that have ended called: tools, addresses, files',
    registers,
  })
  const threads = new Gauge({
    name: 'signalbox_code_threads',
    help: 'Threads that run code, by whether one runs there',
    labelNames: ['state'],
    registers,
  })
  const live = new Gauge({
    name: 'signalbox_code_runs_live',
    help: 'Runs of code that are in memory',
    registers,
  })
  const waiting = new Gauge({
    name: 'signalbox_code_runs_waiting',
    help: 'Runs of code that wait for a thread',
    registers,
  })
  return {
    note({ success, error, metrics }) {
      runs.inc({ outcome: success ? 'ok' : (error?.code ?? 'RUNTIME_ERROR') })
      seconds.observe(metrics.executionTime / 1000)
      calls.inc(metrics.apiCalls)
    },
    text() {
      const now = load()
      threads.set({ state: 'busy' }, now.busy)
      threads.set({ state: 'idle' }, now.threads - now.busy)
      live.set(now.live)
      waiting.set(now.waiting)
      return registry.metrics()
    },
  }
}
