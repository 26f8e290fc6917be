import type { Tx } from '#db/pool.ts'
import { insertSessionKey, lockToken, sweepExpiredTokens, trimSessionKeys } from '#db/tokens.ts'
import { sessionKeyLifeMs, sessionKeysPerToken } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { hashSecret, newSecret } from '#lib/secret.ts'

/** Trades a token for a key that a browser may keep. It dies with the token, and alone by logging out. */
export async function openSessionKey(
  tx: Tx,
  tokenId: string,
  browser: string | null = null,
): Promise<{ sessionKey: string; expiresAt: string }> {
  if (!(await lockToken(tx, tokenId))) throw new Problem('unauthenticated', 'The token is not valid any more')
  await sweepExpiredTokens(tx)
  const sessionKey = newSecret('sbkey')
  const hash = hashSecret(sessionKey)
  const expiresAt = await insertSessionKey(tx, newId(), tokenId, hash, sessionKeyLifeMs, browser)
  await trimSessionKeys(tx, tokenId, sessionKeysPerToken)
  return { sessionKey, expiresAt: expiresAt.toISOString() }
}
