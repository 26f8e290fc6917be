import { expiryOf } from './oauth-grant.ts'
import type { Grant } from './oauth-grant.ts'
import type { GrantStore } from './port.ts'

/** The grant of one person at one source: read once, and never used before it is kept. */
export interface KeptGrant {
  read(): Promise<Grant>
  write(grant: Grant): Promise<void>
  drop(): Promise<void>
  /** One after the other, so that none undoes what another has just done. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
}

export function openKeptGrant(store: GrantStore, sourceId: string, principalId: string): KeptGrant {
  let known: Grant | undefined
  /** Given by the upstream, which will not give it again, but not kept yet: the database was away. */
  let unkept: Grant | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function write(grant: Grant): Promise<void> {
    unkept = grant
    await store.write(sourceId, principalId, grant, expiryOf(grant))
    known = grant
    unkept = undefined
  }
  return {
    async read() {
      if (unkept) await write(unkept)
      // Sealed by us, so it is what we wrote.
      return (known ??= ((await store.read(sourceId, principalId)) as Grant | undefined) ?? {})
    },
    write,
    async drop() {
      await store.drop(sourceId, principalId)
      known = {}
      unkept = undefined
    },
    inTurn(work) {
      const turn = last.then(work, work)
      last = turn
      return turn
    },
  }
}
