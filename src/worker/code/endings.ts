import type { Principal } from '#contract/access.ts'
import type { CodeResult, LogLevel } from '#contract/execute.ts'
import { CODE_ENDED_CHANNEL, CODE_FROZEN_CHANNEL, resultOn } from '#db/code-runs.ts'
import { cancelCodeRun } from '#flows/cancel-code-run.ts'
import { theCodeRun } from '#flows/find-code-run.ts'
import { openBells } from '../tools/bells.ts'
import { insist } from './insist.ts'
import type { CodeEars } from './machine-code.ts'
import type { MachineCodeNeeds, RunHere } from './open.ts'

/** A bell may be missed while the connection that hears it is away. */
const lookMs = 5_000

type Needs = Pick<MachineCodeNeeds, 'pool' | 'listener' | 'machineId'> & {
  here: ReadonlyMap<string, RunHere>
  metrics: { ended(result: CodeResult): void }
}

/** Who waits for a run, wherever it goes on; and what ends one from outside. */
export function openEndings({ pool, listener, machineId, here, metrics }: Needs) {
  const bells = openBells()
  const hearing = new Map<string, Set<CodeEars>>()
  const listening = [
    listener.on(CODE_ENDED_CHANNEL, (id) => {
      endHere(id)
      bells.ring(id)
      void count(id)
    }),
    listener.on(CODE_FROZEN_CHANNEL, (id) => bells.ring(id)),
    listener.onReconnect(() => bells.ringAll()),
  ]

  /** A run that has ended in the database, or those of an execution that has. */
  function endHere(id: string): void {
    const run = here.get(id)
    if (run?.isStored) return run.drive.lose()
    for (const { executionId, isStored, drive } of here.values())
      if (executionId === id && !isStored) drive.cancel('The turn of the agent that ran this is over')
  }

  /** One that was put away is counted where it was last, whoever has ended it. */
  async function count(id: string): Promise<void> {
    const result = await resultOn(pool.db, machineId, id).catch(() => undefined)
    if (result) metrics.ended(result)
  }

  function hear(id: string, ears: CodeEars): () => void {
    const all = hearing.get(id) ?? new Set()
    hearing.set(id, all.add(ears))
    return () => {
      all.delete(ears)
      if (all.size === 0 && hearing.get(id) === all) hearing.delete(id)
    }
  }

  return {
    hear,
    tellOf: (id: string) => (level: LogLevel, message: string) => {
      for (const { onLog } of hearing.get(id) ?? []) onLog?.(level, message)
    },
    async ended(by: Principal, id: string, ears: CodeEars): Promise<CodeResult> {
      const { signal, onWaiting } = ears
      const quiet = hear(id, ears)
      let asked = ''
      try {
        for (;;) {
          const rung = bells.rung(id, lookMs, signal)
          const { result, status, approvals } = await insist(() => theCodeRun(pool.db, by, id))
          if (result) return result
          if (status === 'frozen' && onWaiting) {
            const now = approvals.map((approval) => approval.id).join()
            if (now !== asked && approvals.length > 0) onWaiting({ requestId: id, approvals })
            asked = now
          }
          await rung
          signal.throwIfAborted()
        }
      } finally {
        bells.ring(id) // nobody is left on the one that we hung up
        quiet()
      }
    },
    cancel: (by: Principal, id: string): Promise<boolean> =>
      insist(() => pool.transaction((tx) => cancelCodeRun(tx, by, id))),
    close() {
      for (const end of listening) end()
    },
  }
}
