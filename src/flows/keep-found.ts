import { keepSeen, markGone } from '#db/discovered.ts'
import type { SeenFacts } from '#db/discovered.ts'
import type { Tx } from '#db/pool.ts'

/**
 * Takes what a look has found. Facts are what they are now; whether somebody confirmed or hid it, and the agent that it
 * became, stay as they are. `alsoThere` are paths that are there although another of the same name comes first.
 */
export async function keepFound(
  tx: Tx,
  machineId: string,
  seen: readonly SeenFacts[],
  alsoThere: readonly string[],
): Promise<{ added: number; gone: number }> {
  const added = await keepSeen(tx, machineId, seen)
  const gone = await markGone(tx, machineId, [...seen.map(({ path }) => path), ...alsoThere])
  return { added, gone }
}
