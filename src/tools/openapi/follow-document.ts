import type { SourceConfig } from '#contract/source.ts'
import { inertLine } from '#lib/inert-text.ts'
import { delayAfter } from '../mcp/backoff.ts'
import type { OfferedTool } from '../port.ts'
import { loadDocument } from './load-document.ts'
import { planned } from './planned.ts'
import type { Planned } from './planned.ts'

/** A document as it is now. */
export interface Followed {
  now(): (Planned & { offered: readonly OfferedTool[]; since: string }) | undefined
  /** Why it could not be read the last time, and when that is tried again. */
  failure(): { message: string; at: string; nextRetryAt: string } | undefined
  /** Reads it again in the background, if that was long ago. */
  refresh(): void
  close(): Promise<void>
}

const freshMs = 600_000

/** Reads the document at this address until that succeeds, and again whenever somebody needs it and what is there is old. */
export function followDocument(
  address: string,
  config: SourceConfig,
  hands: { fetch: typeof fetch; onChange: (change: 'tools' | 'health') => void },
): Followed {
  const closing = new AbortController()
  let now: ReturnType<Followed['now']>
  let failure: ReturnType<Followed['failure']>
  let etag: string | undefined
  let [failures, readAt] = [0, 0]
  let timer: NodeJS.Timeout | undefined
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    try {
      const loaded = await loadDocument(address, config, { fetch: hands.fetch, signal: closing.signal, etag })
      if (loaded !== 'unchanged') {
        const plan = await planned(loaded.document)
        const offered = [...plan.operations.values()].map((operation) => operation.offered)
        const isOther = JSON.stringify(offered) !== JSON.stringify(now?.offered)
        now = {
          ...plan,
          offered: isOther ? offered : now!.offered,
          since: now?.since ?? new Date().toISOString(),
        }
        etag = loaded.etag
        if (isOther) hands.onChange('tools')
      }
      readAt = Date.now()
      const wasBad = failure !== undefined
      ;[failures, failure] = [0, undefined]
      if (wasBad) hands.onChange('health')
    } catch (error) {
      if (closing.signal.aborted) return
      failures += 1
      const delay = delayAfter(failures, config.retryPolicy)
      failure = {
        message: inertLine(error instanceof Error ? error.message : String(error)).slice(0, 500),
        at: new Date().toISOString(),
        nextRetryAt: new Date(Date.now() + delay).toISOString(),
      }
      timer = setTimeout(begin, delay).unref()
      hands.onChange('health')
    }
  }
  function begin(): void {
    reading ??= read().finally(() => (reading = undefined))
  }

  begin()
  return {
    now: () => now,
    failure: () => failure,
    refresh() {
      if (!failure && now && Date.now() - readAt > freshMs) begin()
    },
    async close() {
      closing.abort()
      clearTimeout(timer)
      await reading
    },
  }
}
