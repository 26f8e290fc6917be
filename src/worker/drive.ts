import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import { MARK, sessionMark } from '#contract/keeper-protocol.ts'
import type { KeeperCommand } from '#contract/keeper.ts'
import { undeliveredCommands } from '#db/commands.ts'
import { findExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { isDatabaseAway } from '#db/failure.ts'
import type { HandOver } from '#db/hand-over.ts'
import { LeaseLost, leaseOf } from '#db/leases.ts'
import type { DatabasePool } from '#db/pool.ts'
import { configuredRules } from '#domain/policy.ts'
import { copySpool } from '#flows/copy-spool.ts'
import { endExecution } from '#flows/end-execution.ts'
import { noteDelivery } from '#flows/note-delivery.ts'
import { endMarked } from '#lib/marked-processes.ts'
import { signalProcess } from '#lib/process-end.ts'
import { bootId } from '#lib/process-identity.ts'
import { KeeperRefused, KeeperSilent } from './keeper-client.ts'
import type { Keeper } from './keepers.ts'
import { SpoolDamaged, readSpool, spoolOf } from './spool-reader.ts'

/** One execution that this worker drives: its spool copied, its commands delivered. */
export interface Driving {
  /** Resolves when it has ended, was let go of, or belongs to somebody else; never rejects. */
  readonly done: Promise<void>
  /** There are commands for it. */
  ring(): void
  /** Nothing is done until a person answers. */
  isWaiting?(): boolean
  /** Stops driving. The execution goes on without us. */
  letGo(): Promise<void>
}

interface Needs {
  pool: DatabasePool
  log: Logger
  config: () => Config
  handOver: HandOver
}

/** Records are gathered this long, unless there is plenty already: one transaction for forty tokens. */
const windowMs = 15
const plenty = 262_144

export function drive({ pool, log, config, handOver }: Needs, row: ExecutionRow, keeper: Keeper): Driving {
  const lease = leaseOf(row)
  const id = row.id
  const spool = spoolOf(keeper, id)
  const stopped = new AbortController()
  const rules = () => ({
    approvalExpiresMs: config().worker.approvalExpiresMs,
    configured: configuredRules(config().policies),
    handOver,
  })
  let cursor = { offset: row.copiedTo, bytes: row.copiedBytes }
  let ended = false
  let lastCommit = 0
  let silences = 0

  async function run(): Promise<void> {
    ring()
    while (!ended && !stopped.signal.aborted) {
      try {
        await follow()
      } catch (error) {
        if (!(error instanceof KeeperRefused)) {
          if (!isUnreachable(error)) throw error
        } else if (error.code === 'stale_epoch') throw new LeaseLost(id)
        else if (error.code === 'execution_not_found') return await endWithout('Its keeper does not know it')
        else throw error
      }
      if (ended || stopped.signal.aborted) break
      if (!keeper.isAlive()) return await endWithout(whatHappened(keeper))
      await pause(100)
    }
    if (ended) await keeper.client.release(id, lease.epoch).catch(() => undefined) // or its keeper is buried later
  }

  async function follow(): Promise<void> {
    for await (const { bytes } of keeper.client.progress(id, lease.epoch, stopped.signal)) {
      await copy(bytes)
      if (ended) return
    }
  }

  /** Copies up to this place in the file, or all there is. */
  async function copy(upTo = Number.POSITIVE_INFINITY): Promise<void> {
    let ahead: ReturnType<typeof readSpool> | undefined
    while (!ended && cursor.bytes < upTo && !stopped.signal.aborted) {
      const rest = windowMs - (performance.now() - lastCommit)
      if (rest > 0 && upTo - cursor.bytes < plenty) await pause(rest)
      const batch = await (ahead ?? readSpool(spool, cursor))
      if (!batch) return
      // With more to come, the next batch is read while this one is written.
      ahead =
        upTo - batch.bytes > plenty ? readSpool(spool, { offset: batch.to, bytes: batch.bytes }) : undefined
      ahead?.catch(() => undefined) // it is awaited above, or not at all
      const now = await written(() => pool.transaction((tx) => copySpool(tx, lease, batch, rules())))
      lastCommit = performance.now()
      cursor = { offset: now.copiedTo, bytes: now.copiedBytes }
      if (cursor.offset !== batch.to) ahead = undefined
      ended = now.endedAt !== null
    }
  }

  /** The keeper is gone: what it recorded still counts, and whatever it ran must not outlive it. */
  async function endWithout(why: string): Promise<void> {
    let message = why
    await copy().catch((error: unknown) => {
      if (!(error instanceof SpoolDamaged)) throw error
      log.error({ err: error, execution: id }, 'the rest of a spool is lost')
      message = `${why}; what it said after record ${cursor.offset} is lost, because the disk damaged it`
    })
    if (ended || stopped.signal.aborted) return
    const dead = await endMarked(MARK, [id, sessionMark(row.sessionId, keeper.id)], { graceMs: 0 })
    const reason = dead ? 'keeper_died' : 'not_killed'
    await written(() =>
      pool.transaction((tx) => endExecution(tx, lease, { reason, exitCode: null, signal: null, message })),
    )
    ended = true
  }

  /** While the database is away, everything waits. A commit whose answer was lost may have happened: the row knows. */
  async function written(work: () => Promise<ExecutionRow>): Promise<ExecutionRow> {
    for (let delay = 50, unsure = false; ; delay = Math.min(delay * 2, 1_000)) {
      try {
        return await work()
      } catch (error) {
        if (unsure && error instanceof LeaseLost) return await asItStands()
        if (!isDatabaseAway(error)) throw error
        unsure = true
        await pause(delay)
        stopped.signal.throwIfAborted()
      }
    }
  }

  async function asItStands(): Promise<ExecutionRow> {
    const now = await findExecution(pool.db, id)
    if (now?.leaseEpoch !== lease.epoch) throw new LeaseLost(id)
    return now
  }

  /** Delivers these in order, one call at a time. What is returned rings for it. */
  function deliverer(takes: (type: KeeperCommand['type']) => boolean): () => void {
    let delivering: Promise<void> | undefined
    let rungAgain = false
    const deliver = async () => {
      do {
        rungAgain = false
        for (const command of await undeliveredCommands(pool.db, id))
          if (takes(command.type)) await tell(command)
      } while (rungAgain)
    }
    return () => {
      rungAgain = true
      delivering ??= deliver()
        .catch((error: unknown) =>
          log.debug({ err: error, execution: id }, 'a command could not be delivered yet'),
        )
        .finally(() => (delivering = undefined))
    }
  }

  async function tell(command: Omit<KeeperCommand, 'epoch'>): Promise<void> {
    const told = await keeper.client
      .command(id, { ...command, epoch: lease.epoch })
      .catch((error: unknown) => {
        if (command.type === 'cancel' && error instanceof KeeperSilent) rouse()
        throw error
      })
    // It stays for whoever ends the execution, who gives it to the next turn.
    if (command.type === 'message' && told.tooLate) return
    await pool.transaction((tx) => noteDelivery(tx, row, command, told))
  }

  /** Silence alone ends nothing, but somebody wants this ended: a keeper that is frozen is woken, and else killed. */
  function rouse(): void {
    silences += 1
    const identity = keeper.record?.identity
    if (identity) signalProcess(identity, silences === 1 ? 'SIGCONT' : 'SIGKILL')
    log.warn({ execution: id, keeper: keeper.id }, 'a keeper does not answer a cancel')
  }

  const bells = [
    deliverer((type) => type !== 'cancel'),
    // It waits for nobody: an agent that does not answer what it was told before is what a cancel is for.
    deliverer((type) => type === 'cancel'),
  ]

  function ring(): void {
    for (const bell of bells) bell()
  }

  const pause = (ms: number) => wait(ms, undefined, { signal: stopped.signal }).catch(() => undefined)
  // What could not be delivered (the keeper was frozen, the database away) is tried again.
  const again = setInterval(ring, 2_000)
  const done = run()
    .catch((error: unknown) => {
      if (stopped.signal.aborted) return
      if (error instanceof LeaseLost) log.warn({ execution: id }, 'somebody else drives this execution now')
      else log.error({ err: error, execution: id }, 'an execution could not be driven; it is tried again')
    })
    .finally(() => clearInterval(again))

  return {
    done,
    ring,
    async letGo() {
      stopped.abort()
      await done
    },
  }
}

/** Only the owning machine may say so, and only when it is sure: another boot, or no such process any more. */
function whatHappened({ record }: Keeper): string {
  return record && record.identity.bootId !== bootId()
    ? 'The machine was restarted'
    : 'Its keeper died, and what it ran was ended'
}

const away = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'silent'])

/** The connection to the keeper is lost, or cannot be made; anything else is about something else. */
const isUnreachable = (error: unknown) =>
  error instanceof Error && (error.message === 'aborted' || ('code' in error && away.has(String(error.code))))
