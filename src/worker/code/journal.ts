import { beginCall, beginGranted, endCall, unbeginCall } from '#db/code-calls.ts'
import type { CodeCallRow, Driving, MadeCall } from '#db/code-calls.ts'
import type { DatabasePool } from '#db/pool.ts'
import { RunLost } from '#flows/freeze-code-run.ts'
import type { Outcome } from '#codemode/port.ts'
import { insist } from './insist.ts'
import { keptOutcome, outcomeOf } from './results.ts'
import type { KeptOutcome } from './results.ts'

/** What is known of a call from the worker that drove the run before. */
export type Recalled =
  | { was: 'ended' }
  /** Whether it was done is not known. */
  | { was: 'begun'; approvalId: string | null }
  /** The code makes another call in its place. */
  | { was: 'other'; name: string }

/**
 * What a run that was put away once calls, written down before and after. A worker that takes the run up from where it was frozen goes
 * the same way again: calls get the outcomes that they had, in the order in which they had them, and none is made twice.
 */
export interface Journal {
  /** Undefined for what was not made before. */
  recall(made: MadeCall): Recalled | undefined
  /** The outcomes that come next, of calls that the run has made (again). */
  replay(isMade: (call: number) => boolean): Outcome[]
  isReplayed(): boolean
  /** Before anything of it is sent: what was not begun is made again after a restart. Throws RunLost when somebody else drives the run. */
  begin(made: MadeCall, approvalId?: string): Promise<void>
  /** Nothing was sent, although it was begun: somebody has to be asked first. */
  unbegin(call: number): Promise<void>
  /** Before the run is told of it. */
  end(made: MadeCall, outcome: Outcome): Promise<void>
}

export function openJournal(
  pool: DatabasePool,
  driving: Driving,
  rows: readonly CodeCallRow[],
  signal: AbortSignal,
): Journal {
  const known = new Map(rows.map((row) => [row.call, row]))
  const ended = rows.filter(({ place }) => place !== null).toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0))
  let last = Math.max(0, ...ended.map(({ place }) => place ?? 0))

  const ours = async (written: () => Promise<boolean>) => {
    if (!(await insist(written, signal))) throw new RunLost('Somebody else drives this run')
  }

  return {
    recall(made) {
      const row = known.get(made.call)
      if (!row) return undefined
      if (!isSame(row, made)) return { was: 'other', name: row.name }
      if (row.status === 'waiting') return undefined
      return row.status === 'begun' ? { was: 'begun', approvalId: row.approvalId } : { was: 'ended' }
    },
    replay(isMade) {
      const outcomes: Outcome[] = []
      for (let next = ended[0]; next && isMade(next.call); next = ended[0]) {
        outcomes.push(outcomeOf(next.call, next.outcome as KeptOutcome))
        ended.shift()
      }
      return outcomes
    },
    isReplayed: () => ended.length === 0,
    begin: (made, approvalId) =>
      ours(() =>
        approvalId === undefined
          ? beginCall(pool.db, driving, made)
          : beginGranted(pool.db, driving, { ...made, approvalId }),
      ),
    unbegin: (call) => ours(() => unbeginCall(pool.db, driving, call)),
    async end(made, outcome) {
      last += 1
      const ending = {
        ...made,
        status: 'failed' in outcome ? ('failed' as const) : ('done' as const),
        outcome: keptOutcome(outcome),
        place: last,
      }
      await ours(() => endCall(pool.db, driving, ending))
    },
  }
}

const isSame = (row: MadeCall, made: MadeCall): boolean =>
  row.kind === made.kind && row.name === made.name && JSON.stringify(row.input) === JSON.stringify(made.input)
