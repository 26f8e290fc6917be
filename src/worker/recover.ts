import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import { KEEPER_PROTOCOL } from '#contract/keeper-protocol.ts'
import type { Greeting, KeptExecution } from '#contract/keeper.ts'
import { agentTokensAtRest, deleteTokens } from '#db/agent-tokens.ts'
import { findExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { isDatabaseAway } from '#db/failure.ts'
import type { HandOver, HandedOver, Queue } from '#db/hand-over.ts'
import { liveExecutionsOf, takeLease } from '#db/leases.ts'
import type { DatabasePool } from '#db/pool.ts'
import { newId } from '#lib/id.ts'
import { openAuditCopies } from './copy-audit.ts'
import { openIdleWatch } from './idle-keepers.ts'
import type { Keeper, Keepers } from './keepers.ts'
import type { SessionWindows } from './session-windows.ts'
import type { TakeOvers } from './take-over.ts'

interface Needs {
  pool: DatabasePool
  handOver: HandOver
  keepers: Keepers
  takeOvers: Pick<TakeOvers, 'look'>
  windows?: Pick<SessionWindows, 'look'>
  log: Logger
  config: () => Config
  machineId: string
  workerId: string
  /** Whether this worker is at it already. */
  isOurs: (executionId: string) => boolean
  /** What has no keeper is a turn with a model. */
  drive: (row: ExecutionRow, keeper: Keeper | undefined) => void
  /** Takes up a start that nobody will hand over again. */
  resume: (queue: Queue, handed: HandedOver) => void
  /** Aborts when there is nothing more to look after. */
  closed: AbortSignal
}

/** A start that was handed over moments ago is on its way; one this old may have died with its worker. */
const settledMs = 5_000

/** Compares what the rows say with what really lives on this machine, and mends the difference. */
export function openRecovery(needs: Needs) {
  const endIdle = openIdleWatch({ ...needs, db: needs.pool.db })
  const queuedSince = new Map<string, number>()
  const audits = openAuditCopies(needs)
  /** One that cannot be mended must not keep the others from it. */
  const whatever = async (work: () => Promise<void>) => {
    if (needs.closed.aborted) return
    await work().catch((error: unknown) => {
      if (isDatabaseAway(error)) throw error
      needs.log.error({ err: error }, 'something could not be mended yet')
    })
  }
  /** By our own clock alone: that of Postgres may tell another time. */
  const noteWaiting = (live: ExecutionRow[]) => {
    const waiting = live.filter(({ status }) => status === 'queued').map(({ id }) => id)
    for (const id of queuedSince.keys()) if (!waiting.includes(id)) queuedSince.delete(id)
    for (const id of waiting) queuedSince.set(id, queuedSince.get(id) ?? Date.now())
    return (id: string) => Date.now() - (queuedSince.get(id) ?? Date.now()) >= settledMs
  }
  return {
    async recover(): Promise<void> {
      const keepers = new Map((await needs.keepers.all()).map((keeper) => [keeper.id, keeper]))
      // Asked for first: what begins while we look around is none of them.
      const resting = await agentTokensAtRest(needs.pool.db, needs.machineId)
      const greetings = await greetAll(needs, keepers)
      const live = await liveExecutionsOf(needs.pool.db, needs.machineId)
      const isSettled = noteWaiting(live)
      for (const row of live)
        if (!needs.isOurs(row.id)) await whatever(() => takeUp(needs, row, { keepers, isSettled }))
      // One that is silent may have what seems to be gone.
      const areAllHeard = [...keepers.values()].every((one) => !one.isAlive() || greetings.has(one.id))
      if (areAllHeard) await whatever(() => lookAfterTerminals(needs, greetings))
      if (areAllHeard) await whatever(() => forgetTheDead(needs, resting, greetings))
      for (const keeper of keepers.values()) await whatever(() => audits.copy(keeper))
      for (const keeper of keepers.values())
        await whatever(async () => {
          const greeting = greetings.get(keeper.id)
          if (greeting) await endStrays(needs, keeper, greeting)
          if (greeting) await needs.windows?.look(keeper, greeting.shells)
          if (greeting) await endIdle(keeper, greeting)
          else if (!keeper.isAlive()) await bury(needs, keeper, audits)
        })
    },
  }
}

async function greetAll(needs: Needs, keepers: Map<string, Keeper>): Promise<Map<string, Greeting>> {
  const greetings = new Map<string, Greeting>()
  const living = [...keepers.values()].filter((keeper) => keeper.isAlive())
  await Promise.all(
    living.map(async (keeper) => {
      try {
        const greeting = await keeper.client.greet(needs.closed)
        greetings.set(keeper.id, greeting)
        if (greeting.workspaceId && greeting.protocol === KEEPER_PROTOCOL)
          needs.keepers.note(greeting.workspaceId, keeper)
      } catch (error) {
        // Frozen, or busy: it lives, so nothing is decided about it.
        needs.log.debug({ err: error, keeper: keeper.id }, 'a keeper does not answer')
      }
    }),
  )
  return greetings
}

/** An agent's token dies with its process, also when that ends between two turns. */
async function forgetTheDead(
  { pool }: Needs,
  resting: { id: string; executionId: string }[],
  greetings: Map<string, Greeting>,
): Promise<void> {
  const living = new Set([...greetings.values()].flatMap(({ agents }) => agents.map((one) => one.startedFor)))
  const dead = resting.filter(({ executionId }) => !living.has(executionId))
  await deleteTokens(
    pool.db,
    dead.map(({ id }) => id),
  )
}

async function lookAfterTerminals({ takeOvers }: Needs, greetings: Map<string, Greeting>): Promise<void> {
  const terminals = [...greetings.values()].flatMap((greeting) => greeting.terminals)
  await takeOvers.look(new Map(terminals.map((terminal) => [terminal.sessionId, terminal])))
}

/** An execution that nobody drives: its worker died, or let go of it. */
async function takeUp(
  needs: Needs,
  row: ExecutionRow,
  { keepers, isSettled }: { keepers: Map<string, Keeper>; isSettled: (id: string) => boolean },
): Promise<void> {
  const { pool, handOver, machineId, workerId } = needs
  if (row.status === 'queued') {
    // Nobody has said yes to it yet: it is handed over when somebody does.
    if (row.waitingApprovals > 0 || !isSettled(row.id)) return
    const handed = await handOver.look(machineId, row.queue, row.id)
    if (!handed.waits && !needs.isOurs(row.id)) needs.resume(row.queue, handed)
    return
  }
  const isChat = row.queue === 'chat'
  const keeper = (row.keeperId && keepers.get(row.keeperId)) || needs.keepers.absent(row.keeperId ?? newId())
  const taken = await pool.transaction((tx) => takeLease(tx, row.id, machineId, workerId))
  if (taken && !needs.isOurs(row.id)) needs.drive(taken, isChat ? undefined : keeper)
}

/** What a keeper runs although its execution is over: given up while this machine was away, or cancelled at the last moment. */
async function endStrays(needs: Needs, keeper: Keeper, greeting: Greeting): Promise<void> {
  for (const kept of greeting.executions) {
    if (needs.isOurs(kept.id)) continue
    const row = await findExecution(needs.pool.db, kept.id)
    if (row && row.endedAt === null) continue
    try {
      await endStray(keeper, kept, row)
    } catch (error) {
      needs.log.debug({ err: error, execution: kept.id }, 'what was given up could not be ended yet')
    }
  }
}

async function endStray(
  { client }: Keeper,
  kept: KeptExecution,
  row: ExecutionRow | undefined,
): Promise<void> {
  const epoch = Math.max(kept.epoch, row?.leaseEpoch ?? 0)
  if (kept.state === 'ended') return await client.release(kept.id, epoch)
  if (kept.state === 'running')
    await client.command(kept.id, { epoch, id: newId(), type: 'cancel', payload: null })
}

/** Once nothing in its spools is needed any more, and its notes are copied. */
async function bury(
  { pool, keepers, machineId }: Needs,
  keeper: Keeper,
  audits: ReturnType<typeof openAuditCopies>,
): Promise<void> {
  const live = await liveExecutionsOf(pool.db, machineId)
  if (live.some((row) => row.keeperId === keeper.id)) return
  await audits.copy(keeper) // it may have noted something since it was last looked at
  await keepers.bury(keeper)
  audits.forget(keeper.id)
}
