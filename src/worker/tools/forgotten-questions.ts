import type { Logger } from 'pino'
import { waitingAskedOn } from '#db/approvals.ts'
import { isDatabaseAway } from '#db/failure.ts'
import type { DatabasePool } from '#db/pool.ts'
import { withdrawToolApproval } from '#flows/ask-tool-approval.ts'

interface Needs {
  pool: DatabasePool
  machineId: string
  isWaitedFor: (approvalId: string) => boolean
  log: Logger
  /** How long an agent may take to call again, and to go on waiting. */
  graceMs?: number
  everyMs?: number
}

const reason = 'Signalbox was restarted while this was asked, and the agent has not called again'

/**
 * Takes back what the registry of this machine has asked and no call waits for: its worker died. Else the time-out of the execution
 * would stand still for as long as nobody answers, and an answer would be for nobody.
 */
export function openForgotten({
  pool,
  machineId,
  isWaitedFor,
  log,
  graceMs = 60_000,
  everyMs = 15_000,
}: Needs) {
  const since = new Map<string, number>()
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    const waiting = await waitingAskedOn(pool.db, machineId)
    const alone = new Set(waiting.filter((id) => !isWaitedFor(id)))
    for (const id of since.keys()) if (!alone.has(id)) since.delete(id)
    for (const id of alone) {
      const at = since.get(id) ?? Date.now()
      since.set(id, at)
      if (Date.now() - at < graceMs || isWaitedFor(id)) continue
      await pool.transaction((tx) => withdrawToolApproval(tx, id, reason))
      since.delete(id)
    }
  }

  const timer = setInterval(() => {
    looking ??= look()
      .catch((error: unknown) => {
        if (!isDatabaseAway(error)) log.warn({ err: error }, 'forgotten questions could not be taken back')
      })
      .finally(() => (looking = undefined))
  }, everyMs).unref()

  return { close: () => clearInterval(timer) }
}
