import { setTimeout as wait } from 'node:timers/promises'
import { BOARD_STREAM } from '#contract/event.ts'
import type { SpoolRecord } from '#contract/keeper.ts'
import { lockStream } from '#db/events.ts'
import { findExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { isDatabaseAway } from '#db/failure.ts'
import { LeaseLost, leaseOf } from '#db/leases.ts'
import type { Lease } from '#db/leases.ts'
import type { DatabasePool, Tx } from '#db/pool.ts'
import type { Ended } from '#domain/execution.ts'
import { copySaid, copySpool, isOnlySaid } from '#flows/copy-spool.ts'
import type { CopyRules } from '#flows/copy-spool.ts'
import { sizeOf } from '../spool-reader.ts'

type Said = SpoolRecord extends infer Record
  ? Record extends SpoolRecord
    ? Pick<Record, 'type' | 'payload'>
    : never
  : never

/** What a turn says, on its way into the session's log. */
export interface ChatLog {
  /** In this order. It is kept soon. */
  say(said: Said): void
  /** Resolves when all that was said is kept; rejects when it never will be: LeaseLost, or the turn was let go of. */
  kept(): Promise<void>
  /** Keeps what was said, and ends the execution, with what else is to happen in the same transaction. */
  end(ended: Ended, beside?: (tx: Tx) => Promise<void>): Promise<void>
  /** Nothing more is kept. */
  close(): void
}

interface Needs {
  pool: DatabasePool
  rules: () => CopyRules
}

/** What comes together is kept together: one transaction for forty tokens. The first of them waits for nothing. */
const windowMs = 15
const mostRecords = 1_000

/** `taken` is the same row once its lease is ours, where that is still to come. */
export function openChatLog(
  { pool, rules }: Needs,
  row: ExecutionRow,
  taken: Promise<ExecutionRow | undefined> = Promise.resolve(row),
): ChatLog {
  const leased = taken.then((now) => {
    if (!now) throw new LeaseLost(row.id)
    return leaseOf(now)
  })
  leased.catch(() => undefined) // whoever writes is told
  const closed = new AbortController()
  const queue: Said[] = []
  let cursor = row.copiedTo
  let wordsKeptAt = 0
  let isHurried = false
  let wake = () => {}
  let writing: Promise<void> | undefined
  let failure: unknown

  function write(): Promise<void> {
    writing ??= writeAll()
      .catch((error: unknown) => {
        failure ??= error
      })
      .finally(() => (writing = undefined))
    return writing
  }

  async function writeAll(): Promise<void> {
    while (queue.length > 0) {
      await gather()
      closed.signal.throwIfAborted()
      const hasWords = queue.some(isWord)
      await append(queue.splice(0, mostRecords))
      if (hasWords) wordsKeptAt = performance.now()
    }
  }

  /** What only leads up to words is kept with them, if they come soon. */
  async function gather(): Promise<void> {
    const began = performance.now()
    while (!isHurried && !closed.signal.aborted) {
      const rest = windowMs - (performance.now() - (queue.some(isWord) ? wordsKeptAt : began))
      if (rest <= 0) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, rest)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  async function append(said: readonly Said[], beside?: (tx: Tx) => Promise<void>): Promise<void> {
    const lease = await leased
    const at = new Date().toISOString()
    const records = said.map((one, index) => ({ ...one, offset: cursor + index + 1, at }))
    const to = cursor + records.length
    const batch = { from: cursor, to, bytes: to, records, ...sizeOf(records) }
    const isPlain = beside === undefined && isOnlySaid(batch)
    await written(lease, to, () => {
      if (isPlain) return pool.statement((tx) => copySaid(tx, lease, batch))
      return pool.transaction(async (tx) => {
        // The board's stream is locked first, everywhere.
        if (beside) await lockStream(tx, BOARD_STREAM)
        await beside?.(tx)
        await copySpool(tx, lease, batch, rules())
      })
    })
    cursor = to
  }

  /** While the database is away, everything waits. A commit whose answer was lost may have happened: the row knows. */
  async function written(lease: Lease, to: number, work: () => Promise<void>): Promise<void> {
    for (let delay = 50, isUnsure = false; ; delay = Math.min(delay * 2, 1_000)) {
      try {
        return await work()
      } catch (error) {
        if (isUnsure && error instanceof LeaseLost && (await hasReached(lease, to))) return
        if (!isDatabaseAway(error)) throw error
        isUnsure = true
        await wait(delay, undefined, { signal: closed.signal })
      }
    }
  }

  async function hasReached(lease: Lease, to: number): Promise<boolean> {
    const now = await findExecution(pool.db, row.id)
    return now?.leaseEpoch === lease.epoch && now.copiedTo === to
  }

  return {
    say(said) {
      queue.push(said)
      wake()
      void write()
    },
    async kept() {
      isHurried = true
      wake()
      while (queue.length > 0 || writing) {
        if (failure !== undefined) throw failure
        await write()
      }
      isHurried = false
      if (failure !== undefined) throw failure
    },
    async end(ended, beside) {
      await this.kept()
      await append([{ type: 'ended', payload: ended }], beside)
    },
    close() {
      closed.abort(new Error('The turn was let go of'))
      wake()
    },
  }
}

const isWord = ({ type, payload }: Said): boolean => type === 'chunk' && payload.type.endsWith('-delta')
