import { SignJWT } from 'jose'
import type { Database } from '#db/pool.ts'
import { signingKey } from '#db/signing-keys.ts'

interface Signed {
  token: string
  until: number
}

/** A token lives longer than it is used: what is on its way must still be let in. */
const lifeSec = 30
const usedMs = 15_000

const signed = new WeakMap<Database, Map<string, Signed>>()

/** What lets web in at a machine's worker: short-lived, and good for that machine alone. */
export async function internalToken(db: Database, machineId: string): Promise<string> {
  const ofThis = signed.get(db) ?? new Map<string, Signed>()
  signed.set(db, ofThis)
  const known = ofThis.get(machineId)
  if (known && known.until > Date.now()) return known.token
  const token = await new SignJWT()
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('signalbox')
    .setAudience(machineId)
    .setIssuedAt()
    .setExpirationTime(`${lifeSec}s`)
    .sign(await signingKey(db, 'internal'))
  ofThis.set(machineId, { token, until: Date.now() + usedMs })
  return token
}
