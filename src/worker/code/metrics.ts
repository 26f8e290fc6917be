import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { CodeMode } from '#codemode/port.ts'
import type { CodeResult } from '#contract/execute.ts'

export function openCodeMetrics(load: CodeMode['load'], machineId: string) {
  const registry = new Registry()
  registry.setDefaultLabels({ machine: machineId })
  const runs = new Counter({
    name: 'signalbox_code_runs_total',
    help: 'Runs of code that have ended, by what came of them',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const frozen = new Counter({
    name: 'signalbox_code_frozen_total',
    help: 'How often a run of code was put away until a person answers',
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'signalbox_code_duration_seconds',
    help: 'How long runs of code took, people that were asked not included',
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 120, 600],
    registers: [registry],
  })
  const now = new Gauge({
    name: 'signalbox_code_load',
    help: 'Threads for code, those that are busy, runs that wait for one, and runs altogether',
    labelNames: ['what'],
    registers: [registry],
    collect() {
      for (const [what, count] of Object.entries(load())) now.set({ what }, count)
    },
  })
  return {
    ended({ success, error, metrics }: CodeResult): void {
      runs.inc({ outcome: success ? 'ok' : (error?.type ?? 'runtime') })
      seconds.observe(metrics.executionTime / 1000)
    },
    frozen: () => frozen.inc(),
    text: () => registry.metrics(),
  }
}
