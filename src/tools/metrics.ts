import { Counter, Histogram, Registry } from 'prom-client'
import type { CallNote } from './port.ts'

/** Names come from outside, and each is a series: beyond these they are counted together. */
const mostSources = 200

export function openMetrics(labels: Record<string, string>) {
  const registry = new Registry()
  registry.setDefaultLabels(labels)
  const calls = new Counter({
    name: 'signalbox_registry_calls_total',
    help: 'Calls of tools through the registry, by source and what came of them',
    labelNames: ['source', 'outcome', 'code'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'signalbox_registry_call_duration_seconds',
    help: 'How long calls of tools took, from the question to the answer, people that were asked included',
    labelNames: ['source'],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 15, 60, 600],
    registers: [registry],
  })
  const named = new Set<string>()
  const nameOf = (source: string) => {
    if (source === '') return 'unknown'
    if (named.size < mostSources) named.add(source)
    return named.has(source) ? source : 'other'
  }
  return {
    note({
      source,
      outcome,
      code,
      durationMs,
    }: Pick<CallNote, 'source' | 'outcome' | 'code' | 'durationMs'>) {
      const name = nameOf(source)
      calls.inc({ source: name, outcome, code: code ?? '' })
      seconds.observe({ source: name }, durationMs / 1000)
    },
    text: () => registry.metrics(),
  }
}
export type Metrics = ReturnType<typeof openMetrics>
