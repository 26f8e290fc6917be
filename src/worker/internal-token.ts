import { jwtVerify } from 'jose'
import type { Database } from '#db/pool.ts'
import { signingKey } from '#db/signing-keys.ts'
import { Problem } from '#domain/problem.ts'

const longestLifeSec = 60
const mostKnown = 100

/** Throws for whoever has no token of this Signalbox for this machine. One that was looked at is known until it expires. */
export function openTokenCheck(db: Database, machineId: string) {
  const known = new Map<string, number>()
  return async (authorization: string | undefined): Promise<void> => {
    const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? ''
    if ((known.get(token) ?? 0) > Date.now()) return
    const key = await signingKey(db, 'internal')
    const wanted = { audience: machineId, issuer: 'signalbox', maxTokenAge: longestLifeSec }
    const { payload } = await jwtVerify(token, key, wanted).catch(() => {
      throw new Problem('unauthenticated', 'The internal API takes only tokens of this Signalbox')
    })
    const untilSec = Math.min(payload.exp ?? 0, (payload.iat ?? 0) + longestLifeSec)
    known.set(token, untilSec * 1000)
    if (known.size > mostKnown) for (const oldest of known.keys().take(1)) known.delete(oldest)
  }
}
