import type { Principal } from '#contract/access.ts'
import type { CodeResult, LogLevel } from '#contract/execute.ts'
import { waitingOfCode } from '#db/approvals.ts'
import { CODE_ENDED_CHANNEL, CODE_FROZEN_CHANNEL, findCodeRun } from '#db/code-runs.ts'
import type { CodeRunRow } from '#db/code-runs.ts'
import { cancelledResult, isTheirRun } from '#domain/code-run.ts'
import { Problem } from '#domain/problem.ts'
import { endCodeRun } from '#flows/end-code-run.ts'
import { openBells } from '../tools/bells.ts'
import { insist } from './insist.ts'
import type { CodeEars } from './machine-code.ts'
import type { MachineCodeNeeds, RunHere } from './open.ts'

/** A bell may be missed while the connection that hears it is away. */
const lookMs = 5_000

type Needs = Pick<MachineCodeNeeds, 'pool' | 'listener'> & { here: ReadonlyMap<string, RunHere> }

/** Who waits for a run, wherever it goes on; and what ends one from outside. */
export function openEndings({ pool, listener, here }: Needs) {
  const bells = openBells()
  const hearing = new Map<string, Set<CodeEars>>()
  const listening = [
    listener.on(CODE_ENDED_CHANNEL, (id) => {
      endHere(id)
      bells.ring(id)
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

  function hear(id: string, ears: CodeEars): () => void {
    const all = hearing.get(id) ?? new Set()
    hearing.set(id, all.add(ears))
    return () => {
      all.delete(ears)
      if (all.size === 0 && hearing.get(id) === all) hearing.delete(id)
    }
  }

  async function theirs(by: Principal, id: string): Promise<CodeRunRow> {
    const run = await insist(() => findCodeRun(pool.db, id))
    if (run && isTheirRun(by, run)) return run
    throw new Problem('code_run_not_found', `No run of code ${id}`)
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
          const run = await theirs(by, id)
          if (run.result) return run.result
          if (run.status === 'frozen' && onWaiting) {
            const rows = await insist(() => waitingOfCode(pool.db, id))
            const approvals = rows.map(({ expiresAt, ...row }) => ({
              id: row.id,
              tool: row.tool,
              title: row.title,
              expiresAt: expiresAt.toISOString(),
            }))
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
    async cancel(by: Principal, id: string): Promise<boolean> {
      const run = await insist(() => findCodeRun(pool.db, id))
      if (!run || !isTheirRun(by, run)) return false
      return insist(() =>
        pool.transaction((tx) => endCodeRun(tx, id, cancelledResult(run, 'It was cancelled'))),
      )
    },
    close() {
      for (const end of listening) end()
    },
  }
}
