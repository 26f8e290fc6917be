import type { Keeper, Keepers } from './keepers.ts'

/** The keeper that lives and serves this workspace. One that does not answer may be it: then this rejects. */
export async function keeperOf(
  keepers: Pick<Keepers, 'all'>,
  workspaceId: string,
): Promise<Keeper | undefined> {
  for (const keeper of await keepers.all()) {
    if (!keeper.isAlive() || !keeper.record) continue
    if ((await keeper.client.greet()).workspaceId === workspaceId) return keeper
  }
  return undefined
}
