import { SignJWT, errors, jwtVerify } from 'jose'
import { TerminalGrant } from '#contract/internal.ts'
import type { Database } from '#db/pool.ts'
import { signingKey } from '#db/signing-keys.ts'
import { takeTerminalToken } from '#db/terminals.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'

const lifeSec = 300
const issuer = 'signalbox'
/** Nobody's clock is quite right. */
const toleranceSec = 5

/** Stands for one window of one session or workspace, once and for five minutes. */
export async function issueTerminalToken(db: Database, grant: TerminalGrant): Promise<string> {
  return new SignJWT({ grant })
    .setProtectedHeader({ alg: 'HS256', typ: 'terminal+jwt' })
    .setIssuer(issuer)
    .setAudience(grant.machineId)
    .setJti(newId())
    .setIssuedAt()
    .setExpirationTime(`${lifeSec}s`)
    .sign(await signingKey(db, 'terminal'))
}

/** What a token is worth at this machine. Looks at it and no more: it can still be used. Throws Problems. */
export async function readTerminalToken(db: Database, machineId: string, token: string) {
  const key = await signingKey(db, 'terminal')
  const { payload } = await jwtVerify(token, key, {
    algorithms: ['HS256'],
    typ: 'terminal+jwt',
    issuer,
    audience: machineId,
    clockTolerance: toleranceSec,
    maxTokenAge: lifeSec,
    requiredClaims: ['jti', 'exp', 'iat', 'aud'],
  }).catch((error: unknown) => {
    throw refusalOf(error)
  })
  const grant = TerminalGrant.safeParse(payload['grant'])
  if (!grant.success || grant.data.machineId !== machineId) throw refusalOf(undefined)
  return { grant: grant.data, id: payload.jti ?? '', expiresAt: new Date((payload.exp ?? 0) * 1000) }
}

export type ReadToken = Awaited<ReturnType<typeof readTerminalToken>>

/** It opens once: of many who show it at the same time one comes in, and nobody after a restart. */
export async function useTerminalToken(
  db: Database,
  { id, expiresAt }: Pick<ReadToken, 'id' | 'expiresAt'>,
): Promise<void> {
  if (await takeTerminalToken(db, id, expiresAt)) return
  throw new Problem('terminal_token_used', 'This token was used before: each opens once. Ask for another')
}

function refusalOf(error: unknown): Problem {
  if (error instanceof errors.JWTExpired)
    return new Problem('unauthenticated', 'This token has expired: each lives for 5 minutes. Ask for another')
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud')
    return new Problem('forbidden', 'This token is for the terminal of another machine')
  return new Problem(
    'unauthenticated',
    'This is no token of the terminal. POST /api/v1/terminal/token gives one',
  )
}
