import type { GrantStore, Journey } from '#tools/mcp/port.ts'

export interface RememberedGrants extends GrantStore {
  grants: Map<string, unknown>
  journeys: Map<string, Journey>
  /** As when the database is. */
  isAway: boolean
}

/** Keeps what upstreams gave us in memory, where no machine is needed that keeps it. */
export function rememberGrants(): RememberedGrants {
  const grants = new Map<string, unknown>()
  const journeys = new Map<string, Journey>()
  const store: RememberedGrants = {
    grants,
    journeys,
    isAway: false,
    read: (...whose) => Promise.resolve(grants.get(whose.join(' '))),
    write(sourceId, principalId, grant) {
      if (store.isAway) return Promise.reject(new Error('the database is away'))
      grants.set(`${sourceId} ${principalId}`, structuredClone(grant))
      return Promise.resolve()
    },
    drop: (...whose) => Promise.resolve(void grants.delete(whose.join(' '))),
    depart(state, journey, lifeMs) {
      journeys.set(state, structuredClone(journey))
      return Promise.resolve(new Date(Date.now() + lifeMs))
    },
    arrive(state) {
      const journey = journeys.get(state)
      journeys.delete(state)
      return Promise.resolve(journey)
    },
  }
  return store
}
