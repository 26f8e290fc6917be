import { lockDiscovered, updateDiscovered } from '#db/discovered.ts'
import type { Tx } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import { checkAllThere } from './find-found.ts'

/** Out of sight, or back into it. What has become an agent cannot be put out of sight. */
export async function hideFound(tx: Tx, ids: readonly string[], isHidden: boolean): Promise<void> {
  const rows = await lockDiscovered(tx, ids)
  checkAllThere(ids, rows)
  const confirmed = rows.find(({ agentId }) => agentId !== null)
  if (confirmed && isHidden)
    throw new Problem('program_confirmed', `${confirmed.path} is an agent: delete the agent first`, {
      id: confirmed.id,
      agentId: confirmed.agentId,
    })
  await updateDiscovered(tx, ids, { isHidden })
}
