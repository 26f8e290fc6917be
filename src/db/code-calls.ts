import { and, asc, eq, inArray, ne } from 'drizzle-orm'
import type { ApprovalRow } from './approvals.ts'
import type { Database, Tx } from './pool.ts'
import { approvals, codeCalls } from './schema.ts'

export type CodeCallRow = typeof codeCalls.$inferSelect

/** A call, as the code has made it. */
export type MadeCall = Pick<CodeCallRow, 'call' | 'kind' | 'name' | 'input'>

/** Whose journal it is. Nothing is written for a run that somebody else drives. */
export interface Driving {
  runId: string
  epoch: number
}

// The lock on the run keeps whoever takes it from reading the journal before this is in it.
const mine = `mine as (select id from code_runs where id = $1 and epoch = $2 and status = 'running' for share)`

const beginText = (more: string, from: string) => `
  with ${mine}${more}
  insert into code_calls (run_id, call, kind, name, input, status, begun_at)
  select mine.id, $3, $4, $5, $6, 'begun', now() from ${from}
  on conflict (run_id, call) do update set status = 'begun', begun_at = now()
    where code_calls.status in ('begun', 'waiting')`

const begin = { name: 'begin_code_call', text: beginText('', 'mine') }

/** Before it is made. False when somebody else drives the run. */
export async function beginCall(db: Database, driving: Driving, made: MadeCall): Promise<boolean> {
  const { rowCount } = await db.$client.query({ ...begin, values: valuesOf(driving, made) })
  return rowCount === 1
}

// Used before by this very statement, whose answer was lost on its way to us, it is as if it were used now.
const granted = `,
  used as (update approvals set used_at = now() from mine
    where approvals.id = $7 and approvals.status = 'granted' and (used_at is null or exists (
      select from code_calls where run_id = $1 and call = $3 and status = 'begun' and approval_id = $7))
    returning approvals.id)`

const beginWithGrant = { name: 'begin_granted_code_call', text: beginText(granted, 'mine, used') }

/** The same for one that was waited for: its yes counts once. False when it was used, or somebody else drives the run. */
export async function beginGranted(
  db: Database,
  driving: Driving,
  made: MadeCall & { approvalId: string },
): Promise<boolean> {
  const values = [...valuesOf(driving, made), made.approvalId]
  const { rowCount } = await db.$client.query({ ...beginWithGrant, values })
  return rowCount === 1
}

const valuesOf = ({ runId, epoch }: Driving, { call, kind, name, input }: MadeCall): unknown[] => [
  runId,
  epoch,
  call,
  kind,
  name,
  JSON.stringify(input),
]

const end = {
  name: 'end_code_call',
  text: `
  with ${mine}
  insert into code_calls (run_id, call, kind, name, input, status, outcome, place, ended_at)
  select mine.id, $3, $4, $5, $6, $7, $8, $9, now() from mine
  on conflict (run_id, call) do update
    set status = excluded.status, outcome = excluded.outcome, place = excluded.place, ended_at = now()`,
}

/** After it was made, or when nobody will: it may not have been begun. */
export async function endCall(
  db: Database,
  driving: Driving,
  ended: MadeCall & { status: 'done' | 'failed'; outcome: unknown; place: number },
): Promise<boolean> {
  const { status, outcome, place } = ended
  const values = [...valuesOf(driving, ended), status, JSON.stringify(outcome), place]
  const { rowCount } = await db.$client.query({ ...end, values })
  return rowCount === 1
}

const unbeginText = `
  with ${mine}
  update code_calls set status = 'waiting', approval_id = null, begun_at = null
  from mine where run_id = mine.id and call = $3`

/** Nothing of it was sent: somebody is to be asked first. */
export async function unbeginCall(db: Database, { runId, epoch }: Driving, call: number): Promise<boolean> {
  const values = [runId, epoch, call]
  const { rowCount } = await db.$client.query({ name: 'unbegin_code_call', text: unbeginText, values })
  return rowCount === 1
}

export async function callsOf(db: Database, runId: string): Promise<CodeCallRow[]> {
  return db.select().from(codeCalls).where(eq(codeCalls.runId, runId)).orderBy(asc(codeCalls.call))
}

/** All that a run waits for; what has come of the others is in its memory. */
export async function replaceCalls(
  tx: Tx,
  runId: string,
  waiting: readonly (MadeCall & { approvalId: string })[],
): Promise<void> {
  await tx.delete(codeCalls).where(eq(codeCalls.runId, runId))
  await tx.insert(codeCalls).values(waiting.map((made) => ({ ...made, runId, status: 'waiting' as const })))
}

export async function deleteCallsOf(tx: Tx, runId: string): Promise<void> {
  await tx.delete(codeCalls).where(eq(codeCalls.runId, runId))
}

/** Those among these that were answered, or for which nobody came. */
export async function answeredAmong(db: Database, ids: readonly string[]): Promise<ApprovalRow[]> {
  if (ids.length === 0) return []
  return db
    .select()
    .from(approvals)
    .where(and(inArray(approvals.id, [...ids]), ne(approvals.status, 'waiting')))
    .orderBy(asc(approvals.answeredAt), asc(approvals.place))
}
