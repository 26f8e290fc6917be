import { BOARD_STREAM } from '#contract/event.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import { asExecutionOnBoard, findExecution } from '#db/executions.ts'
import { takeLostLease } from '#db/leases.ts'
import { executionsOutOfReach, markOutOfReach, markWithinReach } from '#db/machine-life.ts'
import type { DatabasePool, Tx } from '#db/pool.ts'
import { finish } from './end-execution.ts'

interface Patience {
  staleAfterMs: number
  lostAfterMs: number
}

/**
 * Tells the truth about executions of machines that have gone silent: first that they are out of reach, much later that
 * they are lost. Any process may do this, and several do. It declares nothing dead: a machine that returns ends what
 * was given up.
 */
export async function watchMachines(pool: DatabasePool, patience: Patience): Promise<void> {
  for (const { id, sessionId, lost } of await executionsOutOfReach(pool.db, patience))
    await pool.transaction((tx) =>
      lost ? giveUp(tx, id, sessionId, patience.lostAfterMs) : sayOutOfReach(tx, id, patience.staleAfterMs),
    )
}

async function sayOutOfReach(tx: Tx, id: string, staleAfterMs: number): Promise<void> {
  await lockStream(tx, BOARD_STREAM)
  if (await markOutOfReach(tx, id, staleAfterMs)) await tellReach(tx, id)
}

async function giveUp(tx: Tx, id: string, sessionId: string, lostAfterMs: number): Promise<void> {
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, sessionId)
  const row = await takeLostLease(tx, id, lostAfterMs)
  const message = 'machine lost'
  if (row) await finish(tx, row, { reason: 'machine_lost', exitCode: null, signal: null, message })
}

/** The machine is back, or its worker is. */
export async function sayWithinReach(tx: Tx, machineId: string): Promise<void> {
  await lockStream(tx, BOARD_STREAM)
  for (const id of await markWithinReach(tx, machineId)) await tellReach(tx, id)
}

async function tellReach(tx: Tx, id: string): Promise<void> {
  const row = await findExecution(tx, id)
  if (!row) return
  const event = boardEvent(
    'execution.reachable',
    { execution: asExecutionOnBoard(row) },
    row.taskId ?? undefined,
  )
  await tellBoard(tx, event)
}
