import { join } from 'node:path'
import pino from 'pino'
import { onTestFinished, vi } from 'vitest'
import { SourceConfig } from '#contract/source.ts'
import type { SourceStatus } from '#contract/source.ts'
import { newId } from '#lib/id.ts'
import { openMcpSource } from '#tools/mcp/open.ts'
import type { McpSourceSpec } from '#tools/mcp/open.ts'
import type { Caller, CallHands, SourceChange, ToolSource } from '#tools/port.ts'

export const ada: Caller = { kind: 'person', id: 'ada', isOwner: true }
export const bob: Caller = { kind: 'person', id: 'bob', isOwner: false }

const programs = join(import.meta.dirname, '../tools/programs')
/** How a program of the tests is started. */
export const program = (name: string, ...args: string[]) => ({
  transport: 'stdio' as const,
  command: process.execPath,
  args: [join(programs, `${name}.ts`), ...args],
})

export interface OpenedSource {
  source: ToolSource
  changes: SourceChange[]
  home: string
  call: (
    tool: string,
    args?: Record<string, unknown>,
    hands?: Partial<CallHands>,
    caller?: Caller,
  ) => Promise<unknown>
  /** What the first piece of an answer says. */
  text: (tool: string, args?: Record<string, unknown>, hands?: Partial<CallHands>) => Promise<string>
  becomes: (status: SourceStatus) => Promise<void>
}

/** Closed when the test is over. */
export function openSource(
  config: Partial<SourceConfig> & Pick<SourceConfig, 'transport'>,
  more: Partial<McpSourceSpec> = {},
): OpenedSource {
  const home = `test-${newId()}`
  const changes: SourceChange[] = []
  const source = openMcpSource({
    name: 'under-test',
    version: '0.0.0',
    log: pino({ enabled: false }),
    home,
    config: SourceConfig.parse({ retryPolicy: { initialDelay: 100 }, ...config }),
    ...more,
  })
  source.onChange((change) => changes.push(change))
  onTestFinished(() => source.close())
  const call: OpenedSource['call'] = (tool, args = {}, hands = {}, caller = ada) =>
    source.call(caller, tool, args, { signal: AbortSignal.timeout(15_000), ...hands })
  return {
    source,
    changes,
    home,
    call,
    async text(tool, args, hands) {
      const result = (await call(tool, args, hands)) as { content: { text: string }[] }
      return result.content[0]?.text ?? ''
    },
    becomes: (status) =>
      vi.waitFor(
        () => {
          const health = source.health()
          if (health.status !== status) throw new Error(`It is ${health.status}: ${health.error}`)
        },
        { timeout: 20_000, interval: 10 },
      ),
  }
}
