import type { Principal } from '#contract/access.ts'
import { findOpenRun } from '#db/code-runs.ts'
import type { Tx } from '#db/pool.ts'
import { cancelledResult, isTheirRun, usedBy } from '#domain/code-run.ts'
import { endCodeRun } from './end-code-run.ts'

/** Ends a run that was put away, wherever it is: whoever drives it hears of it. False when there is none that is theirs, or it has ended. */
export async function cancelCodeRun(tx: Tx, by: Principal, id: string): Promise<boolean> {
  const run = await findOpenRun(tx, id)
  if (!run || !isTheirRun(by, run)) return false
  return endCodeRun(tx, id, cancelledResult(run, 'It was cancelled', usedBy(run.meter)))
}
