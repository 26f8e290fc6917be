import { BOARD_STREAM } from '#contract/event.ts'
import { markMissing } from '#db/agents.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'

export interface LookedFor {
  id: string
  binaryPath: string
  isMissing: boolean
}

/** Says of each agent whether its program is there, and tells the board of those for which that is news. */
export async function tellMissingAgents(tx: Tx, looked: readonly LookedFor[]): Promise<void> {
  await lockStream(tx, BOARD_STREAM)
  for (const agent of looked) {
    const changed = await markMissing(tx, agent, agent.isMissing)
    if (!changed) continue
    const { id: agentId, name, missingSince } = changed
    await tellBoard(tx, boardEvent('agent.missing', { agentId, name, missingSince }))
  }
}
