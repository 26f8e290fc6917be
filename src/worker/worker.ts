import { statfs } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import { COMMANDS_CHANNEL } from '#db/commands.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { isDatabaseAway } from '#db/failure.ts'
import { HANDED_OVER_CHANNEL, handedTo } from '#db/hand-over.ts'
import type { HandOver, HandedOver, Queue } from '#db/hand-over.ts'
import type { Listener } from '#db/listen.ts'
import { beat, sayGoodbye } from '#db/machine-life.ts'
import type { DatabasePool } from '#db/pool.ts'
import { signalProcess } from '#lib/process-end.ts'
import { expireOverdue } from '#flows/expire-approvals.ts'
import { sayWithinReach, watchMachines } from '#flows/watch-machines.ts'
import type { Workspaces } from '#workspaces/port.ts'
import { openClaims } from './claims.ts'
import { drive } from './drive.ts'
import { driveChat } from './chat/drive-chat.ts'
import type { ChatNeeds } from './chat/drive-chat.ts'
import type { ReadyChat } from './chat/ready-chat.ts'
import { startChat } from './chat/start-chat.ts'
import type { Turns } from './in-turn.ts'
import { openJanitor } from './janitor.ts'
import type { Containers } from './janitor.ts'
import type { Keeper, Keepers } from './keepers.ts'
import { measureChanges } from './measure-changes.ts'
import { removeOldFrames } from './old-frames.ts'
import type { ReadyWorkspace } from './ready-workspace.ts'
import { openRecovery } from './recover.ts'
import { openPlaces } from './places.ts'
import type { SessionWindows } from './session-windows.ts'
import { startExecution, tellFailedStart, tellQueued } from './start.ts'
import type { TakeOvers } from './take-over.ts'

export interface WorkerParts extends Pick<ChatNeeds, 'chat' | 'tools'> {
  pool: DatabasePool
  listener: Listener
  handOver: HandOver
  keepers: Keepers
  takeOvers: TakeOvers
  windows?: Pick<SessionWindows, 'look'>
  workspaces: Workspaces
  readyWorkspace: ReadyWorkspace
  containers: Containers
  config: () => Config
  log: Logger
  machineId: string
  turns: Turns
  workerId: string
  version: string
  /** Fewer than usual, for tests. */
  chatsAtOnce?: number
}

export interface Worker {
  /** Lets go of everything; agents go on. */
  leave(): Promise<void>
  /** Ends everything that runs here, and leaves. */
  endAll(graceMs: number): Promise<void>
}

const recoverEveryMs = 3_000
const sweepEveryMs = 3_600_000
const cleanEveryMs = 60_000
/** Drives the executions of one machine. */
export function openWorker(parts: WorkerParts): Worker {
  const { pool, listener, handOver, keepers, config, log, machineId } = parts
  const beginning = new Set<Promise<void>>()
  const closed = new AbortController()
  let hasLeft = false
  let freeDiskBytes = Number.POSITIVE_INFINITY
  let isDiskLow = false

  const { held, limit, live, ...places } = openPlaces(() => config().worker.maxConcurrent, parts.chatsAtOnce)
  const free = (queue: Queue) => (closed.signal.aborted || isDiskLow ? 0 : places.free(queue))

  const claims = openClaims({
    handOver,
    machineId,
    log,
    free,
    begin,
  })
  const recovery = openRecovery({
    ...parts,
    isOurs: (id) => held.has(id),
    drive: take,
    resume: (queue, handed) => {
      if (free(queue) > 0) begin(queue, handed)
    },
    closed: closed.signal,
  })

  const janitor = openJanitor(parts)

  function begin(queue: Queue, handed: HandedOver): void {
    if (held.has(handed.executionId)) return
    held.set(handed.executionId, { queue })
    const begun = start(queue, handed).finally(() => {
      beginning.delete(begun)
      if (!held.has(handed.executionId)) claims.wake()
    })
    beginning.add(begun)
  }

  /** A person waits for the first word of a chat: it is begun before the queue is asked, which has it should this go wrong. */
  function hearHandedOver(notified: string): void {
    const handed = handedTo(machineId, notified)
    if (!handed) return
    const { queue, executionId, sessionId } = handed
    if (queue === 'chat' && free(queue) > 0)
      return begin(queue, { executionId, sessionId, isLastAttempt: false })
    if (queue === 'chat') tellWaits(executionId)
    claims.wake()
  }

  /** A person who waits for the first word is told what for. */
  function tellWaits(id: string): void {
    const why = notClaiming() ?? places.whyFull('chat')
    if (why === undefined || closed.signal.aborted) return
    log.warn({ execution: id }, why)
    tellQueued(pool, id, why).catch((error: unknown) =>
      log.debug({ err: error, execution: id }, 'nobody was told why a chat waits'),
    )
  }

  async function start(queue: Queue, handed: HandedOver): Promise<void> {
    const { executionId: id, isLastAttempt } = handed
    try {
      const start = await (queue === 'chat' ? startChat(parts, handed) : startExecution(parts, id))
      if (start.outcome === 'failed') {
        log.warn({ execution: id, reason: start.reason }, 'an execution could not be started')
        await tellFailedStart(parts, id, start.reason, isLastAttempt)
        await handOver.giveBack(machineId, queue, id, start.reason)
      } else if (start.outcome !== 'chats') await handOver.settle(machineId, queue, id)
      held.delete(id)
      if (start.outcome === 'started') take(start.row, start.keeper)
      if (start.outcome !== 'chats') return
      take(start.row, undefined, start.ready)
      // Should it stay in the queue, it is found to be past its start, or over.
      start.ready.taken
        .then(() => handOver.settle(machineId, queue, id))
        .catch((error: unknown) => log.debug({ err: error, execution: id }, 'it could not be settled yet'))
    } catch (error) {
      // The database is away: what became of it is found out when it is back.
      held.delete(id)
      if (!isDatabaseAway(error)) log.error({ err: error, execution: id }, 'a start went wrong')
    }
  }

  /** A turn with a model has no keeper. */
  function take(row: ExecutionRow, keeper?: Keeper, ready?: ReadyChat): void {
    if (hasLeft) return
    const driving = keeper ? drive(parts, row, keeper) : driveChat(parts, row, ready)
    held.set(row.id, { queue: row.queue, driving })
    void driving.done.finally(() => {
      // Chats are begun when they are heard of: they wait in the queue only where there was no place.
      const isWaitedFor = row.queue !== 'chat' || free('chat') <= 0
      held.delete(row.id)
      if (isWaitedFor) claims.wake()
      if (row.queue === 'coding' && !hasLeft) void measureChanges(parts, row.id)
    })
  }

  async function measureDisk(): Promise<void> {
    const { bavail, bsize } = await statfs(config().home)
    freeDiskBytes = bavail * bsize
    const wasLow = isDiskLow
    isDiskLow = freeDiskBytes < config().worker.minFreeDiskBytes
    if (isDiskLow && !wasLow) log.warn({ freeDiskBytes }, notClaiming() ?? '')
    if (wasLow && !isDiskLow) log.info({ freeDiskBytes }, 'there is room on the disk again')
  }

  const notClaiming = () =>
    isDiskLow
      ? `Only ${Math.floor(freeDiskBytes / 1e6)} MB of disk are free; nothing new is started below ${Math.floor(config().worker.minFreeDiskBytes / 1e6)} MB (MIN_FREE_DISK)`
      : null

  async function sayAlive(): Promise<void> {
    await measureDisk().catch((error: unknown) => log.warn({ err: error }, 'the disk could not be measured'))
    await beat(pool.db, machineId, {
      version: parts.version,
      pid: process.pid,
      live: { coding: live('coding'), tool: live('tool'), chat: live('chat') },
      limit: limit(),
      freeDiskBytes,
      notClaiming: notClaiming(),
      isolation: keepers.isolation(),
      keepers: await keepers.all().then(
        (all) => all.length,
        () => 0,
      ),
      workspaces: keepers.serving(),
    })
    await pool.transaction((tx) => sayWithinReach(tx, machineId))
    await watchMachines(pool, config().worker)
    await expireOverdue(pool)
  }

  /** Does it again and again, one at a time, until we close. While the database is away there is nothing to say. */
  async function keepDoing(what: string, everyMs: () => number, work: () => Promise<void>): Promise<void> {
    while (!closed.signal.aborted) {
      await work().catch((error: unknown) => {
        if (!isDatabaseAway(error)) log.error({ err: error }, `could not ${what}`)
      })
      await wait(everyMs(), undefined, { signal: closed.signal }).catch(() => undefined)
    }
  }

  const endings = [
    listener.on(HANDED_OVER_CHANNEL, hearHandedOver),
    listener.on(COMMANDS_CHANNEL, (id) => held.get(id)?.driving?.ring()),
    listener.onReconnect(() => {
      claims.wake()
      for (const { driving } of held.values()) driving?.ring()
    }),
  ]
  const loops = Promise.all([
    keepDoing('say that we live', () => config().worker.heartbeatIntervalMs, sayAlive),
    keepDoing(
      'look after what lives here',
      () => recoverEveryMs,
      () => recovery.recover(),
    ),
    keepDoing(
      'look after workspaces',
      () => cleanEveryMs,
      () => janitor.clean(),
    ),
    keepDoing(
      'remove old frames',
      () => sweepEveryMs,
      async () => void (await removeOldFrames(config())),
    ),
  ])

  async function claimNoMore(): Promise<void> {
    closed.abort()
    for (const end of endings) end()
    await claims.close()
    await Promise.all([...beginning, loops])
  }

  async function leave(): Promise<void> {
    await claimNoMore()
    hasLeft = true
    await Promise.all(places.drivings().map((driving) => driving.letGo()))
    await keepers.close()
    await sayGoodbye(pool.db, machineId).catch(() => undefined)
  }

  async function end(keeper: Keeper, graceMs: number): Promise<void> {
    if (!keeper.isAlive()) return
    try {
      await keeper.client.shutdown({ reason: 'Worker shutdown', graceMs })
    } catch (error) {
      // Frozen, perhaps. What it ran is found by its mark once it is dead.
      log.warn({ err: error, keeper: keeper.id }, 'a keeper did not end by itself')
      if (keeper.record) signalProcess(keeper.record.identity, 'SIGKILL')
    }
  }

  return {
    leave,
    async endAll(graceMs) {
      closed.abort()
      await claims.close()
      await within(1_000, Promise.all(beginning))
      await Promise.all((await keepers.all()).map((keeper) => end(keeper, graceMs)))
      // Turns with models have no process that ends: they are let go of, and go on with the next worker.
      await within(2_000, Promise.all(places.drivings(['coding', 'tool']).map(({ done }) => done)))
      await leave()
    },
  }
}

/** Whoever stops us does not wait for ever either. */
const within = (ms: number, work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work, wait(ms, undefined, { ref: false })])
