import { BOARD_STREAM } from '#contract/event.ts'
import type { NewEvent } from '#contract/event.ts'
import type { SpoolRecord } from '#contract/keeper.ts'
import { appendMoved } from '#db/append-moved.ts'
import { appendEvents, lockStream } from '#db/events.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { HandOver } from '#db/hand-over.ts'
import { changeLeased, moveCursor } from '#db/leases.ts'
import type { CursorMove, Lease } from '#db/leases.ts'
import type { Tx } from '#db/pool.ts'
import { noteSessionFacts } from '#db/sessions.ts'
import { deleteAgentTokens } from '#db/tokens.ts'
import { mergeDeltas } from '#events/deltas.ts'
import { askApproval, withdrawApproval } from './ask-approval.ts'
import type { AskingRules } from './ask-approval.ts'
import { finish } from './end-execution.ts'

export interface SpoolBatch extends CursorMove {
  records: SpoolRecord[]
}

export interface CopyRules extends AskingRules {
  /** For what came too late for a turn, and is given to the next one. */
  handOver: Pick<HandOver, 'send'>
}

/** What only says something, and changes no row. Most of what there is. */
export const isOnlySaid = ({ records }: Pick<SpoolBatch, 'records'>): boolean =>
  records.length > 0 &&
  records.every(
    ({ type, payload }) => type === 'data-terminal' || (type === 'chunk' && payload.type !== 'data-stall'),
  )

/** Copies such a batch, in one statement that is a transaction of its own. */
export async function copySaid(tx: Tx, lease: Lease, batch: SpoolBatch): Promise<void> {
  const events = batch.records.flatMap((record) => asSaid(lease.executionId, record))
  await appendMoved(tx, lease, batch, mergeDeltas(events))
}

/** What only says something, and decides nothing. */
const saying = new Set<SpoolRecord['type']>(['chunk', 'data-terminal', 'session', 'usage'])
const boardHears = new Set<SpoolRecord['type']>(['approval', 'withdrawn', 'ended'])

/** Appends what a keeper recorded, once: the cursor moves in the same transaction. With the last record it ends. */
export async function copySpool(
  tx: Tx,
  lease: Lease,
  batch: SpoolBatch,
  rules: CopyRules,
): Promise<ExecutionRow> {
  if (batch.records.every(({ type }) => saying.has(type))) return copySayings(tx, lease, batch)
  const started = batch.records.find((record) => record.type === 'started')
  const ended = batch.records.find((record) => record.type === 'ended')
  if (batch.records.some(({ type }) => boardHears.has(type))) await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, lease.sessionId)
  const startedFor = started?.payload.startedFor
  const moved = await moveCursor(tx, lease, { ...batch, ...started?.payload })
  await noteFacts(tx, lease, batch.records)
  const row = await noteChanges(tx, lease, moved, batch.records)
  // The token of an agent belongs to its process. Whichever process this is, the session has no other.
  if (startedFor) await deleteAgentTokens(tx, lease.sessionId, { executionId: startedFor })
  if (ended?.payload.isAgentGone) await deleteAgentTokens(tx, lease.sessionId)
  const events: NewEvent[] = []
  for (const record of batch.records) events.push(...(await asEvents(tx, row, record, rules)))
  if (events.length > 0) await appendEvents(tx, lease.sessionId, mergeDeltas(events))
  return ended ? finish(tx, row, ended.payload, rules.handOver) : row
}

/** The same for what most batches are. One statement is sent after the other, and no answer is waited for in between. */
async function copySayings(tx: Tx, lease: Lease, batch: SpoolBatch): Promise<ExecutionRow> {
  const events = batch.records.flatMap((record) => asSaid(lease.executionId, record))
  const [, moved] = await Promise.all([
    lockStream(tx, lease.sessionId),
    moveCursor(tx, lease, batch),
    events.length > 0 && appendEvents(tx, lease.sessionId, mergeDeltas(events)),
    noteFacts(tx, lease, batch.records),
  ])
  return noteChanges(tx, lease, moved, batch.records)
}

async function noteFacts(tx: Tx, { sessionId }: Lease, records: SpoolRecord[]): Promise<void> {
  for (const { type, payload } of records)
    if (type === 'session') await noteSessionFacts(tx, sessionId, payload)
}

/** What the records change in the row: each of these replaces the one before. */
async function noteChanges(
  tx: Tx,
  lease: Lease,
  row: ExecutionRow,
  records: SpoolRecord[],
): Promise<ExecutionRow> {
  const change: Partial<ExecutionRow> = {}
  for (const { type, payload, at } of records) {
    if (type === 'usage') change.usage = payload
    // What is known to be spent is not forgotten when the agent does not know how much more it is.
    if (type === 'usage' && payload.costUsd !== null) change.costUsd = payload.costUsd
    if (type === 'session' && payload.sessionRef && payload.sessionRef !== row.sessionRef)
      change.sessionRef = payload.sessionRef
    if (type === 'chunk' && payload.type === 'data-stall')
      change.stalledSince = isSilent(payload['data']) ? new Date(at) : null
  }
  return Object.keys(change).length > 0 ? changeLeased(tx, lease, change) : row
}

const isSilent = (data: unknown): boolean => (data as { silentMs: number | false }).silentMs !== false

async function asEvents(
  tx: Tx,
  row: ExecutionRow,
  record: SpoolRecord,
  rules: AskingRules,
): Promise<NewEvent[]> {
  if (record.type === 'approval') return askApproval(tx, row, record.payload, rules)
  if (record.type === 'withdrawn')
    return withdrawApproval(tx, row, record.payload.requestId, record.payload.reason)
  return asSaid(row.id, record)
}

function asSaid(executionId: string, record: SpoolRecord): NewEvent[] {
  switch (record.type) {
    case 'data-terminal':
      return [{ type: record.type, payload: record.payload, executionId }]
    case 'chunk': {
      const { type, ...payload } = record.payload
      return [{ type, payload: type.startsWith('data-') ? payload['data'] : payload, executionId }]
    }
    case 'session':
      return [{ type: 'data-session', payload: record.payload, executionId }]
    case 'usage':
      return [{ type: 'data-usage', payload: record.payload, executionId }]
    case 'approval':
    case 'withdrawn':
    case 'started':
    case 'ended':
      return [] // what they tell stands in the row, or is asked
  }
}
