import type { FrozenRun } from '#codemode/port.ts'
import type { CodeWaiting } from '#contract/execute.ts'
import { waitingOfCode } from '#db/approvals.ts'
import type { ApprovalRow } from '#db/approvals.ts'
import { answeredAmong } from '#db/code-calls.ts'
import { hasImage } from '#db/code-images.ts'
import { findCodeRun } from '#db/code-runs.ts'
import { isDatabaseAway, isTooSlow } from '#db/failure.ts'
import { personOf } from '#domain/code-run.ts'
import { Problem } from '#domain/problem.ts'
import { freezeCodeRun } from '#flows/freeze-code-run.ts'
import type { Freezing, WaitingCall } from '#flows/freeze-code-run.ts'
import { insist } from './insist.ts'
import type { MachineCodeNeeds, RunFacts } from './open.ts'

/** Puts runs away, and waits for a database that is not there: they stay in memory meanwhile. */
export interface Freezer {
  store(
    facts: RunFacts,
    epoch: number | undefined,
    away: { frozen: FrozenRun; lastCall: number; waiting: readonly WaitingCall[]; signal: AbortSignal },
  ): Promise<void>
  answers(approvalIds: readonly string[]): Promise<ApprovalRow[]>
  waitingOf(runId: string): Promise<CodeWaiting['approvals']>
}

type Needs = Pick<MachineCodeNeeds, 'pool' | 'machineId' | 'config' | 'codeMode'>

export function openFreezer({ pool, machineId, config, codeMode }: Needs): Freezer {
  const { db } = pool
  const storedImages = new Set<string>()

  /** With the run, when it is not there yet: nothing is put away that nobody could take up. */
  async function imageFor(hash: string): Promise<Pick<Freezing, 'image'>> {
    if (storedImages.has(hash)) return {}
    const image = (await hasImage(db, hash)) ? undefined : await codeMode.image(hash)
    return image ? { image } : {}
  }

  return {
    async store({ id, by, caller, wanted, grants, lines }, epoch, { frozen, lastCall, waiting, signal }) {
      const { image: imageHash, memory, state } = frozen
      const run = {
        id,
        principal: by,
        createdBy: personOf(by),
        sessionId: caller.sessionId ?? null,
        executionId: caller.kind === 'agent' ? caller.executionId : null,
        machineId,
        wanted,
        grants,
      }
      const put = { imageHash, memory: Buffer.from(await memory), state, lastCall, logs: lines }
      const rules = { approvalExpiresMs: config().worker.approvalExpiresMs }
      let isInDoubt = false
      await insist(async () => {
        // The connection may have been lost after the commit.
        if (isInDoubt && epoch === undefined && (await findCodeRun(db, id))) return
        isInDoubt = false
        signal.throwIfAborted()
        const freezing = { run, epoch, put, waiting, ...(await imageFor(imageHash)) }
        await pool
          .transaction((tx) => freezeCodeRun(tx, freezing, rules))
          .catch((error: unknown) => {
            isInDoubt ||= isDatabaseAway(error)
            throw error
          })
      }).catch((error: unknown) => {
        if (isTooSlow(error)) throw tooSlow()
        throw error
      })
      storedImages.add(imageHash)
    },
    answers: (ids) => insist(() => answeredAmong(db, ids)),
    async waitingOf(runId) {
      const rows = await insist(() => waitingOfCode(db, runId))
      return rows.map(({ id, tool, title, expiresAt }) => ({
        id,
        tool,
        title,
        expiresAt: expiresAt.toISOString(),
      }))
    },
  }
}

const tooSlow = () =>
  new Problem(
    'database_unavailable',
    'It has to wait for a person, and the database takes too long to keep it meanwhile. Keep less in memory when somebody is asked, or run it again later',
  )
