import type { CodeMetrics } from '../../../src/contract/execute.ts'
import { codeStrings } from '../../strings/code.ts'
import { bytes } from '../../ui/bytes.ts'
import { milliseconds } from '../../ui/moments.ts'

const words = codeStrings.metrics

/** What the run took. */
export function Metrics({
  metrics: { executionTime, cpuTime, memoryUsed, apiCalls },
}: {
  metrics: CodeMetrics
}) {
  const facts = [
    ['executionTime', milliseconds(executionTime)],
    ['cpuTime', milliseconds(cpuTime)],
    ['memoryUsed', bytes(memoryUsed)],
    ['apiCalls', String(apiCalls)],
  ] as const
  return (
    <dl aria-label={words.title} className="flex flex-wrap gap-x-4 text-small tabular-nums">
      {facts.map(([key, value]) => (
        <div key={key} className="flex gap-1.5">
          <dt className="text-mute">{words[key]}</dt>
          <dd data-metric={key}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
