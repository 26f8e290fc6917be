import type { Logger } from 'pino'
import { appendEvents, lockStream } from '#db/events.ts'
import { lockLeased } from '#db/leases.ts'
import type { Lease } from '#db/leases.ts'
import type { DatabasePool } from '#db/pool.ts'
import { systemLine } from '#flows/system-line.ts'

/** Lines of ours in the log of a session, written together as far as they come together. */
export interface Lines {
  tell(line: string): void
  /** Resolves when all that was told is there. Never rejects: it is only words. */
  written(): Promise<void>
}

/** What a setup says is worth this much of the log; the rest of it is left out, and that is said. */
const mostLines = 2_000

export function openLines(pool: DatabasePool, lease: Lease, log: Logger): Lines {
  let waiting: string[] = []
  let told = 0
  let writing = Promise.resolve()

  async function write(): Promise<void> {
    const batch = waiting.splice(0)
    if (batch.length === 0) return
    await pool.transaction(async (tx) => {
      await lockStream(tx, lease.sessionId)
      await lockLeased(tx, lease)
      await appendEvents(tx, lease.sessionId, [systemLine(lease.executionId, batch.join('\n'))])
    })
  }

  return {
    tell(line) {
      told += 1
      if (told > mostLines) return
      waiting.push(told === mostLines ? '… the rest is left out' : line)
      writing = writing.then(write).catch((error: unknown) => {
        waiting = []
        log.debug({ err: error, execution: lease.executionId }, 'what was said could not be told')
      })
    },
    written: () => writing,
  }
}
