import type { Logger } from 'pino'
import type { ScanProgress } from '#contract/discovery.ts'
import type { DatabasePool } from '#db/pool.ts'
import { keepScan } from '#db/scans.ts'

/** Writes down how a scan goes, for every web to tell. */
export interface Telling {
  now(): ScanProgress
  /** Told soon; what follows at once is told together with it. */
  tell(change: Partial<ScanProgress>): void
  /** Resolves when everything so far is written, and never rejects: the scan goes on without an audience. */
  told(): Promise<void>
}

const everyMs = 250

export function openTelling(
  pool: DatabasePool,
  log: Pick<Logger, 'warn'>,
  first: ScanProgress,
  gapMs = everyMs,
): Telling {
  let progress = first
  let isNew = true
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  async function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    while (isNew) {
      isNew = false
      await pool
        .transaction((tx) => keepScan(tx, progress))
        .catch((error: unknown) => log.warn({ err: error }, 'how a scan goes could not be told'))
    }
  }

  async function told(): Promise<void> {
    // Whoever asks during a write waits for the next one too.
    await writing
    writing ??= write().finally(() => (writing = undefined))
    await writing
  }

  return {
    now: () => progress,
    tell(change) {
      const isTurn = change.stage !== undefined && change.stage !== progress.stage
      progress = { ...progress, ...change }
      isNew = true
      if (isTurn) void told()
      else timer ??= setTimeout(() => void told(), gapMs).unref()
    },
    told,
  }
}
