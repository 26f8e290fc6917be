import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { lockStream } from '#db/events.ts'
import { lockExecution } from '#db/executions.ts'
import type { HandOver } from '#db/hand-over.ts'
import type { Tx } from '#db/pool.ts'
import { liveExecutionIn } from '#db/sessions.ts'
import { cancelExecution } from './cancel-execution.ts'
import { theOwnSession } from './find-session.ts'
import { interruptExecution } from './interrupt-execution.ts'

/** Ends the turn under way, and keeps what was said; one that has not begun never will. Without one there is nothing to do. */
export async function stopChat(
  tx: Tx,
  by: Principal,
  handOver: Pick<HandOver, 'settle'>,
  sessionId: string,
): Promise<void> {
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, sessionId)
  await theOwnSession(tx, by, sessionId)
  const live = await liveExecutionIn(tx, sessionId)
  if (!live) return
  const { status } = await lockExecution(tx, live)
  if (status === 'queued') await cancelExecution(tx, by, handOver, live)
  else if (status === 'running') await interruptExecution(tx, by, live)
}
