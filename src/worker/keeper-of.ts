import { Problem } from '#domain/problem.ts'
import type { Keeper, Keepers } from './keepers.ts'

type Known = Pick<Keepers, 'all' | 'isSpare' | 'workspaceOf'>

/** They are on this machine, and answer within milliseconds. */
const patienceMs = 3_000

/**
 * The keeper that lives and serves this workspace. One that does not answer may be it, unless it is known to serve another: then
 * this rejects with a Problem.
 */
export async function keeperOf(
  keepers: Known,
  { id, name }: { id: string; name: string },
): Promise<Keeper | undefined> {
  const living = (await keepers.all()).filter((keeper) => keeper.isAlive() && keeper.record)
  const { promise: found, resolve: find } = Promise.withResolvers<Keeper>()
  const canBeIt = async (keeper: Keeper): Promise<boolean> => {
    try {
      const { workspaceId } = await keeper.client.greet(AbortSignal.timeout(patienceMs))
      if (workspaceId === id) find(keeper)
      return false
    } catch {
      const isAnothers = keepers.isSpare(keeper.id) || (keepers.workspaceOf(keeper.id) ?? id) !== id
      return keeper.isAlive() && !isAnothers
    }
  }
  const answers = Promise.all(living.map(canBeIt))
  const match = await Promise.race([found, answers])
  if (!Array.isArray(match)) return match
  if (!match.includes(true)) return undefined
  throw new Problem(
    'workspace_in_use',
    `The workspace ${name} may be in use: what serves it, or another one of this machine, does not answer. Try again in a while; should that not help, restart Signalbox on that machine`,
    { workspaceId: id },
  )
}
