import { countLiveOf, deleteCapability as deleteRow } from '#db/capabilities.ts'
import type { Tx } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import { theCapability, theLockedAgent } from './find-agent.ts'

/** What was done with it stays, and still names it. */
export async function deleteCapability(tx: Tx, agentId: string, id: string): Promise<void> {
  await theLockedAgent(tx, agentId)
  const { key } = await theCapability(tx, agentId, id)
  const live = await countLiveOf(tx, id)
  if (live > 0)
    throw new Problem(
      'capability_busy',
      `${key} has ${live} queued or running: wait for them, or cancel them`,
      {
        live,
      },
    )
  await deleteRow(tx, id)
}
