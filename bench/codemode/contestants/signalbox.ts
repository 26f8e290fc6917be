// Signalbox: code mode as a worker has it, with JavaScript that is not checked, as that of the others is not. Every run has a
// sandbox that is byte for byte as new, in a thread of the pool.
import { openCodeMode } from '#codemode/open.ts'
import { benchSettings, resultOf, wantedOf } from '../code-mode.ts'
import { echo, enter } from '../contest.ts'
import { UsedSandbox } from '../used-sandbox.ts'

await enter(async () => {
  const codeMode = openCodeMode(benchSettings)
  const api = codeMode.api([])
  const usedSandbox = new UsedSandbox()
  const hands = {
    call: (_call: number, _kind: string, _name: string, given: readonly unknown[]) => echo(given[0]),
    log: () => undefined,
  }
  return {
    tool: 'mcp.bench.echo',
    run: async (code) =>
      resultOf(
        await codeMode.run({ ...wantedOf(code, api), isTypeScript: false, isChecked: false }, hands).ended,
      ),
    allocate: async () => usedSandbox.renewed(),
    resident: () => process.memoryUsage.rss(),
  }
})
