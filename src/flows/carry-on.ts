import type { Principal } from '#contract/access.ts'
import type { Prompt } from '#contract/agent-event.ts'
import { enqueueCommand } from '#db/commands.ts'
import type { DroppedCommand } from '#db/commands.ts'
import { appendEvents } from '#db/events.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { HandOver } from '#db/hand-over.ts'
import type { Tx } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import { messageEvent } from './message-event.ts'
import { startExecution } from './start-execution.ts'
import { systemLine } from './system-line.ts'

/** Gives messages that were acknowledged, and came too late for a turn, to the next one. Should there be none, that is said. */
export async function carryOn(
  tx: Tx,
  handOver: Pick<HandOver, 'send'>,
  row: ExecutionRow,
  late: readonly DroppedCommand[],
): Promise<void> {
  const [first, ...others] = late
  if (!first || row.capabilityId === null) return
  const { text, files } = first.payload as Prompt
  try {
    const next = await startExecution(tx, sender(first), handOver, {
      capabilityId: row.capabilityId,
      args: row.args,
      prompt: text,
      files,
      sessionId: row.sessionId,
      ...(row.taskId && { taskId: row.taskId }),
      ...(row.workspaceId && { workspaceId: row.workspaceId }),
      confirm: false,
    })
    for (const other of others) {
      const { type, payload, createdBy } = other
      const commandId = await enqueueCommand(tx, next.id, { type, payload, createdBy })
      const said = messageEvent(next.id, payload as Prompt, sender(other), commandId)
      await appendEvents(tx, row.sessionId, [said])
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    await appendEvents(tx, row.sessionId, [
      systemLine(row.id, `Not sent, because no further turn can begin: ${error.message}`),
    ])
  }
}

/** Whoever sent it could see the session then; what they may beyond that is not asked here. */
const sender = ({ createdBy }: DroppedCommand): Principal => ({
  id: createdBy,
  kind: createdBy === 'owner' ? 'owner' : 'user',
  name: createdBy,
  scopes: ['run'],
})
