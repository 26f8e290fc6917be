import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { onTestFinished, vi } from 'vitest'
import { SourceConfig } from '#contract/source.ts'
import type { ToolResult } from '#contract/tool.ts'
import { newId } from '#lib/id.ts'
import { openLangchainSource } from '#tools/langchain/open.ts'
import type { Caller, ToolSource } from '#tools/port.ts'

const ada: Caller = { kind: 'person', id: 'ada', isOwner: true }
const patient = { timeout: 20_000, interval: 20 }

export interface OpenedModule {
  source: ToolSource
  call: (tool: string, args?: Record<string, unknown>, signal?: AbortSignal) => Promise<ToolResult>
  isHealthy: () => Promise<unknown>
  /** Resolves with what health says. */
  isUnhealthy: () => Promise<string>
}

/** A module in a folder of its own as a source; both are gone when the test is over. */
export async function openModule(
  text: string,
  options: { folder?: string; name?: string; longestLoadMs?: number } = {},
): Promise<OpenedModule> {
  const folder = await mkdtemp(join(options.folder ?? tmpdir(), 'module-'))
  const module = join(folder, options.name ?? 'tools.mjs')
  await writeFile(module, text)
  const source = openLangchainSource(
    {
      name: 'chain',
      version: '0.0.0',
      log: pino({ enabled: false }),
      home: `test-${newId()}`,
      config: SourceConfig.parse({ transport: 'langchain', module, retryPolicy: { initialDelay: 100 } }),
    },
    options.longestLoadMs,
  )
  onTestFinished(async () => {
    await source.close()
    await rm(folder, { recursive: true, force: true })
  })
  const becomes = (status: string) =>
    vi.waitFor(() => {
      const health = source.health()
      if (health.status !== status) throw new Error(`It is ${health.status}: ${health.error}`)
      return health.error ?? ''
    }, patient)
  return {
    source,
    call: (tool, args = {}, signal = AbortSignal.timeout(15_000)) => source.call(ada, tool, args, { signal }),
    isHealthy: () => becomes('healthy'),
    isUnhealthy: () => becomes('unhealthy'),
  }
}
