import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { ExecutionRow } from './executions.ts'
import { madeOnce } from './made-once.ts'
import type { Database, Tx } from './pool.ts'
import { executions } from './schema.ts'

/** The right to drive one execution. Whoever takes it over raises the epoch, and the older driver's writes find no row. */
export interface Lease {
  executionId: string
  sessionId: string
  epoch: number
}

/** Somebody else drives: stop, and touch nothing. */
export class LeaseLost extends Error {
  constructor(executionId: string) {
    super(`Execution ${executionId} is driven by somebody else`)
    this.name = 'LeaseLost'
  }
}

export const leaseOf = (row: ExecutionRow): Lease => ({
  executionId: row.id,
  sessionId: row.sessionId,
  epoch: row.leaseEpoch,
})

const given = sql.placeholder

const heldBy = ({ executionId, epoch }: Lease) =>
  and(eq(executions.id, executionId), eq(executions.leaseEpoch, epoch), isNull(executions.endedAt))

/** Takes the lease of a live execution of this machine, from whoever has it. */
export async function takeLease(
  tx: Tx,
  id: string,
  machineId: string,
  workerId: string,
): Promise<ExecutionRow | undefined> {
  const [row] = await tx
    .update(executions)
    .set({ leaseEpoch: sql`${executions.leaseEpoch} + 1`, workerId })
    .where(and(eq(executions.id, id), eq(executions.machineId, machineId), isNull(executions.endedAt)))
    .returning()
  return row
}

const updateQueued = madeOnce('begin_queued', (db) =>
  db
    .update(executions)
    .set({
      leaseEpoch: sql`${executions.leaseEpoch} + 1`,
      workerId: sql`${given('workerId')}`,
      status: 'running',
      startedAt: sql`${given('startedAt')}::timestamptz`,
    })
    .where(
      and(
        eq(executions.id, given('id')),
        eq(executions.machineId, given('machineId')),
        eq(executions.status, 'queued'),
      ),
    )
    .returning(),
)

/** The same for one that waits, which begins with it. Nothing when it does not wait any more. */
export async function beginQueued(
  tx: Tx,
  id: string,
  machineId: string,
  workerId: string,
): Promise<ExecutionRow | undefined> {
  const [row] = await updateQueued(tx, { id, machineId, workerId, startedAt: new Date().toISOString() })
  return row
}

/** The execution as it is, if we drive it; it stays so until the transaction ends. */
export async function lockLeased(tx: Tx, lease: Lease): Promise<ExecutionRow> {
  const [row] = await tx.select().from(executions).where(heldBy(lease)).for('update')
  if (!row) throw new LeaseLost(lease.executionId)
  return row
}

/** Changes an execution that we drive. */
export async function changeLeased(
  tx: Tx,
  lease: Lease,
  change: Partial<ExecutionRow>,
): Promise<ExecutionRow> {
  const [row] = await tx.update(executions).set(change).where(heldBy(lease)).returning()
  if (!row) throw new LeaseLost(lease.executionId)
  return row
}

export interface CursorMove {
  /** The last record that is in the log already. */
  from: number
  to: number
  /** Where record `to` ends in the spool file. */
  bytes: number
  logBytes: number
  logLines: number
  /** Of its process, when these records tell. */
  pid?: number | null | undefined
  tmuxSession?: string | null | undefined
}

const updateCursor = madeOnce('move_cursor', (db) =>
  db
    .update(executions)
    .set({
      copiedTo: sql`${given('to')}`,
      copiedBytes: sql`${given('bytes')}`,
      logBytes: sql`${executions.logBytes} + ${given('logBytes')}`,
      logLines: sql`${executions.logLines} + ${given('logLines')}`,
      pid: sql`coalesce(${given('pid')}, ${executions.pid})`,
      tmuxSession: sql`coalesce(${given('tmuxSession')}, ${executions.tmuxSession})`,
    })
    .where(
      and(
        eq(executions.id, given('executionId')),
        eq(executions.leaseEpoch, given('epoch')),
        isNull(executions.endedAt),
        eq(executions.copiedTo, given('from')),
      ),
    )
    .returning(),
)

/** Moves the cursor from A to B, if it stands at A and we drive. That is the whole of exactly-once. */
export async function moveCursor(
  tx: Tx,
  { executionId, epoch }: Pick<Lease, 'executionId' | 'epoch'>,
  { from, to, bytes, logBytes, logLines, pid = null, tmuxSession = null }: CursorMove,
): Promise<ExecutionRow> {
  const move = { from, to, bytes, logBytes, logLines, pid, tmuxSession }
  const [row] = await updateCursor(tx, { executionId, epoch, ...move })
  if (!row) throw new LeaseLost(executionId)
  return row
}

/** What this machine has to answer for. */
export async function liveExecutionsOf(db: Database, machineId: string): Promise<ExecutionRow[]> {
  return db
    .select()
    .from(executions)
    .where(and(eq(executions.machineId, machineId), isNull(executions.endedAt)))
    .orderBy(asc(executions.id))
}

/** Takes the lease of an execution whose machine has been silent for too long, so that it cannot write any more. */
export async function takeLostLease(
  tx: Tx,
  id: string,
  lostAfterMs: number,
): Promise<ExecutionRow | undefined> {
  const silent = sql`exists (select 1 from machines where machines.id = ${executions.machineId}
    and machines.seen_at < now() - ${lostAfterMs} * interval '1 millisecond')`
  const [row] = await tx
    .update(executions)
    .set({ leaseEpoch: sql`${executions.leaseEpoch} + 1` })
    .where(and(eq(executions.id, id), isNull(executions.endedAt), silent))
    .returning()
  return row
}
