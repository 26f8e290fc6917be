import { setTimeout as wait } from 'node:timers/promises'
import { ANSWERED_CHANNEL } from '#db/approvals.ts'
import { callsOf } from '#db/code-calls.ts'
import { findImage } from '#db/code-images.ts'
import { runsToTake, takeCodeRun } from '#db/code-runs.ts'
import type { CodeRunRow, RunToTake } from '#db/code-runs.ts'
import { isDatabaseAway } from '#db/failure.ts'
import { cancelledResult, usedBy } from '#domain/code-run.ts'
import type { CodeGrants } from '#domain/code-capabilities.ts'
import { Problem } from '#domain/problem.ts'
import { endCodeRun } from '#flows/end-code-run.ts'
import type { CodeResult } from '#contract/execute.ts'
import { callerAgain } from './caller-again.ts'
import { drive } from './drive.ts'
import type { DriveHands, Kept } from './drive.ts'
import type { Freezer } from './freezer.ts'
import { insist } from './insist.ts'
import { openJournal } from './journal.ts'
import type { MachineCodeNeeds, RunFacts, RunHere } from './open.ts'
import type { Reach } from './reach/open-reach.ts'

interface Needs extends MachineCodeNeeds {
  here: Map<string, RunHere>
  freezer: Freezer
  metrics: { frozen(): void }
  handsOf(facts: RunFacts): Promise<{ hands: Omit<DriveHands, 'store'>; reach: Reach }>
}

/** Takes up runs that were answered, those that a dead worker of this machine has left, and those of machines that are gone. */
export function openTakeUps(needs: Needs): { look(): void; close(): Promise<void> } {
  const { pool, machineId, listener, config, codeMode, here, log } = needs
  const closed = new AbortController()
  /** Nothing more is written: later than `closed`, for what comes of calls that are under way is. */
  const gone = new AbortController()
  const taking = new Set<string>()
  const driving = new Set<Promise<void>>()
  let looking: Promise<void> | undefined
  let isWanted = false

  function look(): void {
    isWanted = true
    looking ??= lookAll().finally(() => (looking = undefined))
  }

  async function lookAll(): Promise<void> {
    while (isWanted && !closed.signal.aborted) {
      isWanted = false
      try {
        const found = await runsToTake(pool.db, machineId, config().worker.staleAfterMs)
        await Promise.all(found.map((one) => take(one)))
      } catch (error) {
        if (!isDatabaseAway(error)) log.error({ err: error }, 'runs of code could not be looked for')
      }
    }
  }

  /** Resolves when it is in our hands, or not. */
  async function take(one: RunToTake): Promise<void> {
    const known = here.get(one.id)
    if (known) return known.drive.look()
    if (one.machineId !== machineId && !(await canReach(one.tools))) return
    if (closed.signal.aborted || here.has(one.id) || taking.has(one.id)) return
    taking.add(one.id)
    const run = await takeCodeRun(pool.db, one, machineId).catch((error: unknown) => {
      taking.delete(one.id)
      throw error
    })
    if (!run) return void taking.delete(one.id)
    const driven = takeUp(run)
      .catch((error: unknown) => giveUp(run, error))
      .finally(() => {
        taking.delete(one.id)
        driving.delete(driven)
      })
    driving.add(driven)
  }

  /** A tool of a source that only the machine has which is gone waits for it to come back. */
  async function canReach(tools: readonly string[]): Promise<boolean> {
    if (tools.length === 0) return true
    const { registry } = await needs.tools()
    return tools.every((tool) => {
      const status = registry.source(tool.split('.', 1)[0] ?? '')?.health().status
      return status !== undefined && status !== 'unhealthy'
    })
  }

  async function takeUp(run: CodeRunRow): Promise<void> {
    const { id, epoch, principal: by, wanted, lastCall, imageHash, memory, state } = run
    if (imageHash === null || memory === null || state === null)
      throw new Error(`Nothing is kept of run ${id}`)
    const { callerOf } = await needs.tools()
    const caller = await insist(() => callerAgain(pool.db, callerOf, by, wanted), closed.signal)
    const facts = { id, by, caller, wanted, grants: run.grants as CodeGrants, lines: [...run.logs] }
    const { hands, reach } = await needs.handsOf(facts)
    const rows = await insist(() => callsOf(pool.db, id), closed.signal)
    const kept: Kept = {
      frozen: { image: imageHash, memory: Promise.resolve(memory), state },
      image: (await codeMode.image(imageHash))
        ? undefined
        : await insist(() => findImage(pool.db, imageHash), closed.signal),
      lastCall,
      journal: openJournal(pool, { runId: id, epoch }, rows, gone.signal),
      calls: rows.filter(({ call }) => call <= lastCall),
    }
    if (closed.signal.aborted) return
    const store: DriveHands['store'] = (frozen, last, waiting, signal) =>
      needs.freezer.store(facts, epoch, { frozen, lastCall: last, waiting, signal })
    const driven = drive({ ...hands, store }, kept)
    here.set(id, { id, by, executionId: run.executionId, drive: driven, isStored: true })
    try {
      const how = await driven.done
      if (how === 'frozen') needs.metrics.frozen()
      else if (how !== 'lost') await end(id, epoch, how.result, reach.reached())
    } finally {
      here.delete(id)
      look() // it may have been answered while it was put away
    }
  }

  async function end(
    id: string,
    epoch: number,
    result: CodeResult,
    reached: Record<string, number> = {},
  ): Promise<void> {
    await insist(() => pool.transaction((tx) => endCodeRun(tx, id, result, { epoch, reached })), gone.signal)
  }

  /** It cannot be taken up: whoever ran it is gone, or what is kept of it is of no use. */
  async function giveUp(run: CodeRunRow, error: unknown): Promise<void> {
    if (closed.signal.aborted) return
    if (!(error instanceof Problem)) log.error({ err: error, run: run.id }, 'a run of code was not taken up')
    const why =
      error instanceof Problem ? error.message : 'Signalbox could not take it up again; its log says why'
    await end(run.id, run.epoch, cancelledResult(run, why, usedBy(run.state?.['meter']))).catch(
      (failed: unknown) => log.error({ err: failed, run: run.id }, 'a run of code was not ended'),
    )
  }

  const timer = setInterval(look, needs.lookMs ?? 5_000).unref()
  const listening = [listener.on(ANSWERED_CHANNEL, look), listener.onReconnect(look)]
  look()

  return {
    look,
    async close() {
      closed.abort()
      clearInterval(timer)
      for (const stop of listening) stop()
      const grace = wait(needs.graceMs ?? 2_000, undefined, { ref: false })
      const stored = [...here.values()].filter(({ isStored }) => isStored)
      await Promise.race([Promise.all(stored.map(({ drive: run }) => run.quiet())), grace])
      for (const { drive: run } of stored) run.lose()
      await Promise.race([Promise.all(driving), grace])
      gone.abort()
    },
  }
}
