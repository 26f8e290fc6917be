import { and, count, eq, inArray, isNotNull, lt, ne, sql } from 'drizzle-orm'
import type { CodeResult } from '#contract/execute.ts'
import type { Database, Tx } from './pool.ts'
import { approvals, codeRuns } from './schema.ts'

export type CodeRunRow = typeof codeRuns.$inferSelect
export type NewCodeRun = typeof codeRuns.$inferInsert

/** What is put away of a run, and how far it had come. */
export type PutAway = Pick<CodeRunRow, 'imageHash' | 'memory' | 'state' | 'lastCall' | 'logs'>

/** Rings with the id of a run that has ended, or of an execution whose runs have. */
export const CODE_ENDED_CHANNEL = 'code_ended'
/** Rings with the id of a run that waits for a person from now on. */
export const CODE_FROZEN_CHANNEL = 'code_frozen'

export async function ringCode(tx: Tx, channel: string, id: string): Promise<void> {
  await tx.$client.query('select pg_notify($1, $2)', [channel, id])
}

const whose = {
  id: codeRuns.id,
  principal: codeRuns.principal,
  createdBy: codeRuns.createdBy,
  sessionId: codeRuns.sessionId,
  executionId: codeRuns.executionId,
  machineId: codeRuns.machineId,
  epoch: codeRuns.epoch,
  status: codeRuns.status,
}
const told = {
  ...whose,
  wanted: codeRuns.wanted,
  logs: codeRuns.logs,
  meter: sql<unknown>`${codeRuns.state} -> 'meter'`,
}

/** Whose a run is, and where. Its memory may be a hundred megabytes: nobody reads it but who takes the run up. */
export type CodeRunWhose = Pick<CodeRunRow, keyof typeof whose>
/** What can be told of it when it ends here and now; `meter` is what it had used when it was put away. */
export type CodeRunTold = CodeRunWhose & Pick<CodeRunRow, 'wanted' | 'logs'> & { meter: unknown }

export async function findCodeRun(db: Database | Tx, id: string): Promise<CodeRunWhose | undefined> {
  const [row] = await db.select(whose).from(codeRuns).where(eq(codeRuns.id, id))
  return row
}

export async function findOpenRun(tx: Tx, id: string): Promise<CodeRunTold | undefined> {
  const isOpen = and(eq(codeRuns.id, id), ne(codeRuns.status, 'ended'))
  const [row] = await tx.select(told).from(codeRuns).where(isOpen)
  return row
}

/** Also of one that is not there any more. */
export async function hasCodeRunEnded(db: Database, id: string): Promise<boolean> {
  const run = await findCodeRun(db, id)
  return run === undefined || run.status === 'ended'
}

/** What came of a run that was last driven by this machine. */
export async function resultOn(db: Database, machineId: string, id: string): Promise<CodeResult | undefined> {
  const isOurs = and(eq(codeRuns.id, id), eq(codeRuns.machineId, machineId))
  const [row] = await db.select({ result: codeRuns.result }).from(codeRuns).where(isOurs)
  return row?.result ?? undefined
}

/** How many others of this person are put away, and how much they take. */
export async function openRunsOfPerson(
  tx: Tx,
  person: string,
  otherThan: string,
): Promise<{ runs: number; bytes: number }> {
  const bytes = sql<number>`coalesce(sum(octet_length(${codeRuns.memory})), 0)::float8`
  const [all] = await tx
    .select({ runs: count(), bytes })
    .from(codeRuns)
    .where(and(eq(codeRuns.createdBy, person), ne(codeRuns.status, 'ended'), ne(codeRuns.id, otherThan)))
  return all ?? { runs: 0, bytes: 0 }
}

export async function insertCodeRun(tx: Tx, run: NewCodeRun): Promise<void> {
  await tx.insert(codeRuns).values(run)
}

/** Puts it away again. False when somebody else drives it, or it has ended. */
export async function putAwayAgain(tx: Tx, id: string, epoch: number, put: PutAway): Promise<boolean> {
  const { rowCount } = await tx
    .update(codeRuns)
    .set({ ...put, status: 'frozen', updatedAt: sql`now()` })
    .where(and(eq(codeRuns.id, id), eq(codeRuns.epoch, epoch), eq(codeRuns.status, 'running')))
  return rowCount === 1
}

/** Takes it, unless somebody else has done so since it was looked at. The epoch goes up: whoever drove it cannot any more. */
export async function takeCodeRun(
  db: Database,
  { id, epoch }: Pick<CodeRunRow, 'id' | 'epoch'>,
  machineId: string,
): Promise<CodeRunRow | undefined> {
  const [row] = await db
    .update(codeRuns)
    .set({ status: 'running', machineId, epoch: epoch + 1, updatedAt: sql`now()` })
    .where(and(eq(codeRuns.id, id), eq(codeRuns.epoch, epoch), ne(codeRuns.status, 'ended')))
    .returning()
  return row
}

/** Nothing of its memory is needed any more. With an epoch only if nobody else drives it. Nothing when it has ended already. */
export async function endCodeRunRow(
  tx: Tx,
  id: string,
  result: CodeResult,
  epoch?: number,
): Promise<CodeRunTold | undefined> {
  const nothing = { memory: null, state: null, imageHash: null, logs: [] }
  const isOurs = epoch === undefined ? undefined : eq(codeRuns.epoch, epoch)
  const [row] = await tx
    .update(codeRuns)
    .set({ ...nothing, status: 'ended', result, endedAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(eq(codeRuns.id, id), ne(codeRuns.status, 'ended'), isOurs))
    .returning(told)
  return row
}

export async function openRunsOf(tx: Tx, executionId: string): Promise<CodeRunTold[]> {
  return tx
    .select(told)
    .from(codeRuns)
    .where(and(eq(codeRuns.executionId, executionId), ne(codeRuns.status, 'ended')))
}

/** What was asked for by the code of an execution that has not ended. */
export async function openWishesOf(
  db: Database,
  executionId: string,
): Promise<Pick<CodeRunRow, 'id' | 'wanted'>[]> {
  return db
    .select({ id: codeRuns.id, wanted: codeRuns.wanted })
    .from(codeRuns)
    .where(and(eq(codeRuns.executionId, executionId), ne(codeRuns.status, 'ended')))
}

/** A run that somebody should take: it was answered, or its worker is gone. */
export interface RunToTake {
  id: string
  epoch: number
  status: 'frozen' | 'running'
  machineId: string
  /** The tools that a person has said yes to. */
  tools: string[]
}

const toTakeText = `
  select r.id, r.epoch, r.status, r.machine_id as "machineId", coalesce(answered.tools, '{}') as tools
  from code_runs r
  join machines m on m.id = r.machine_id
  left join lateral (
    select array_agg(a.tool) filter (where a.status = 'granted') as tools, count(*) as count
    from code_calls c join approvals a on a.id = c.approval_id
    where c.run_id = r.id and c.status = 'waiting' and a.status <> 'waiting'
  ) answered on true
  where r.status <> 'ended'
    and (r.machine_id = $1 or m.stopped_at is not null or m.seen_at < now() - $2 * interval '1 millisecond')
    and (r.status = 'running' or answered.count > 0)
  order by r.updated_at limit 1000`

/** Those of this machine first of all; those of others when their machine is gone. */
export async function runsToTake(
  db: Database,
  machineId: string,
  staleAfterMs: number,
): Promise<RunToTake[]> {
  const values = [machineId, staleAfterMs]
  const { rows } = await db.$client.query<RunToTake>({ name: 'code_runs_to_take', text: toTakeText, values })
  return rows
}

/** Of agents: what they asked stays in the ledger. Answers with how many are gone. */
export async function deleteEndedRuns(tx: Tx, before: Date, limit: number): Promise<number> {
  const old = await tx
    .select({ id: codeRuns.id })
    .from(codeRuns)
    .where(and(isNotNull(codeRuns.endedAt), lt(codeRuns.endedAt, before)))
    .limit(limit)
  const ids = old.map(({ id }) => id)
  if (ids.length === 0) return 0
  const isInSession = and(inArray(approvals.codeRunId, ids), isNotNull(approvals.sessionId))
  await tx.update(approvals).set({ codeRunId: null }).where(isInSession)
  await tx.delete(codeRuns).where(inArray(codeRuns.id, ids))
  return ids.length
}
