import type { CommandOutcome, KeeperCommand } from '#contract/keeper.ts'
import { isSilent, markDelivered } from '#db/commands.ts'
import { appendEvents, lockStream } from '#db/events.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Tx } from '#db/pool.ts'

/** What became of something that was told to an agent: whoever sent it is told the truth. */
export async function noteDelivery(
  tx: Tx,
  { id: executionId, sessionId }: Pick<ExecutionRow, 'id' | 'sessionId'>,
  { id, type }: Omit<KeeperCommand, 'epoch'>,
  { outcome, how, reason }: CommandOutcome,
): Promise<void> {
  await lockStream(tx, sessionId)
  if (!(await markDelivered(tx, id, reason ? `${outcome}: ${reason}` : outcome))) return
  if (isSilent(type)) return
  const payload = { commandId: id, command: type, outcome, ...(how && { how }), ...(reason && { reason }) }
  await appendEvents(tx, sessionId, [{ type: 'data-delivery', payload, executionId }])
}
