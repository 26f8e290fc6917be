import {
  deleteGrant,
  findGrant,
  insertDeparture,
  putGrant,
  sweepDepartures,
  takeDeparture,
} from '#db/source-grants.ts'
import type { Database } from '#db/pool.ts'
import type { Seal } from '#lib/sealed.ts'
import { hashSecret } from '#lib/secret.ts'
import type { GrantStore } from '#tools/mcp/port.ts'

/** Keeps what upstreams gave us in the database, sealed: each for one source and one person, and readable on this machine alone. */
export function openGrantStore(db: Database, { seal, unseal }: Seal): GrantStore {
  return {
    async read(sourceId, principalId) {
      const secrets = await findGrant(db, sourceId, principalId)
      return secrets && unseal(secrets, grantOf(sourceId, principalId))
    },
    async write(sourceId, principalId, grant, expiresAt) {
      const secrets = seal(grant, grantOf(sourceId, principalId))
      await putGrant(db, { sourceId, principalId, secrets, expiresAt })
    },
    drop: (sourceId, principalId) => deleteGrant(db, sourceId, principalId),

    async depart(state, { sourceId, principalId, luggage }, lifeMs) {
      await sweepDepartures(db)
      const stateHash = hashSecret(state)
      const secrets = seal(luggage, departureOf(stateHash, sourceId, principalId))
      return insertDeparture(db, { stateHash, sourceId, principalId, secrets }, lifeMs)
    },
    async arrive(state) {
      const taken = await takeDeparture(db, hashSecret(state))
      if (!taken) return undefined
      const { stateHash, sourceId, principalId, secrets } = taken
      const luggage = unseal(secrets, departureOf(stateHash, sourceId, principalId))
      return { sourceId, principalId, luggage }
    },
  }
}

const grantOf = (sourceId: string, principalId: string) => `source-grant:${sourceId}:${principalId}`

const departureOf = (stateHash: Buffer, sourceId: string, principalId: string) =>
  `source-authorization:${stateHash.toString('hex')}:${sourceId}:${principalId}`
