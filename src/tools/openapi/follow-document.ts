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
  hands: {
    fetch: typeof fetch
    onChange: (change: 'tools' | 'health') => void
    keepHome: (origin: string) => Promise<string>
  },
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
        // Whoever writes the document says where calls go, but not where the owner's credentials do: that stays as it was first.
        const home = now?.home ?? (await hands.keepHome(plan.home))
        const told =
          home === plan.home || !hasSecrets(config) ? plan.told : [moved(home, plan.home), ...plan.told]
        const isToldMore = now !== undefined && told[0] !== now.told[0]
        const offered = [...plan.operations.values()].map((operation) => operation.offered)
        const isOther = JSON.stringify(offered) !== JSON.stringify(now?.offered)
        now = {
          ...plan,
          home,
          told,
          offered: isOther ? offered : now!.offered,
          since: now?.since ?? new Date().toISOString(),
        }
        etag = loaded.etag
        if (isOther) hands.onChange('tools')
        if (isToldMore) hands.onChange('health')
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

const hasSecrets = ({ auth, headers }: SourceConfig) =>
  auth?.token !== undefined || Object.keys(headers).length > 0

const moved = (home: string, server: string) =>
  `the document names ${server} as its server, and what opens the API is for ${home} alone; if it has moved, remove the source and add it again`
