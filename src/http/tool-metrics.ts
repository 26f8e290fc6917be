import { Counter, Histogram } from 'prom-client'

const calls = new Counter({
  name: 'signalbox_tool_calls_total',
  help: 'Calls of the tools of workspaces, by what came of them',
  labelNames: ['tool', 'outcome'],
})
const seconds = new Histogram({
  name: 'signalbox_tool_call_duration_seconds',
  help: 'How long calls of the tools of workspaces took, from the request to its answer',
  labelNames: ['tool'],
  buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 15, 60, 600],
})

export function noteToolCall(tool: string, outcome: 'ok' | 'refused' | 'failed', durationMs: number): void {
  calls.inc({ tool, outcome })
  seconds.observe({ tool }, durationMs / 1000)
}
