import type { Logger } from 'pino'
import type { HandOver, HandedOver, Queue } from '#db/hand-over.ts'
import { isDatabaseAway } from '#db/failure.ts'

export interface Claims {
  /** Something was handed over, or a place has become free. */
  wake(): void
  close(): Promise<void>
}

interface Needs {
  handOver: HandOver
  machineId: string
  log: Logger
  /** How many more of this queue may begin now. */
  free: (queue: Queue) => number
  /** Takes its place at once, and does the rest by itself. */
  begin: (queue: Queue, handed: HandedOver) => void
}

/** Notifications wake us; this is for those that went unheard, and for starts that are tried again. */
const lookMs = 1_000

/** Takes what is handed over to this machine, never more than there is room for. */
export function openClaims({ handOver, machineId, log, free, begin }: Needs): Claims {
  let again = false
  let taking: Promise<void> | undefined
  let closed = false

  async function take(): Promise<void> {
    do {
      again = false
      for (const queue of ['chat', 'coding', 'tool'] as const) {
        const room = free(queue)
        if (room <= 0 || closed) continue
        const handed = await handOver.take(machineId, queue, room)
        for (const one of handed) begin(queue, one)
        if (handed.length === room) again = true
      }
    } while (again && !closed)
  }

  function wake(): void {
    again = true
    if (closed) return
    taking ??= take()
      .catch((error: unknown) => {
        if (isDatabaseAway(error)) return log.debug({ err: error }, 'nothing can be claimed at present')
        log.error({ err: error }, 'could not claim executions')
      })
      .finally(() => (taking = undefined))
  }

  const timer = setInterval(wake, lookMs)
  return {
    wake,
    async close() {
      closed = true
      clearInterval(timer)
      await taking
    },
  }
}
