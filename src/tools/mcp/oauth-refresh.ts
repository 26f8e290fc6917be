import {
  OAuthError,
  OAuthErrorCode,
  discoverOAuthServerInfo,
  refreshAuthorization,
} from '@modelcontextprotocol/client'
import { openOAuthFetch } from './oauth-fetch.ts'
import { issuerOf, resourceOf } from './oauth-grant.ts'
import type { Grant } from './oauth-grant.ts'
import type { GuardedSource } from './port.ts'

/** What came of it: new tokens, or why a person has to come. Rejects when it is worth another try. */
export type Refreshed = { grant: Grant } | { lost: Grant; why: string }

/** Asks for new tokens with the refresh token that we have. */
export async function refresh(
  source: GuardedSource,
  grant: Grant,
  resourceMetadataUrl: URL | undefined,
): Promise<Refreshed> {
  const { tokens, client, discovery } = grant
  const lost = { ...grant, tokens: undefined, obtainedAt: undefined }
  if (!tokens?.refresh_token || !client || !discovery)
    return { lost, why: 'it takes the token no more, and gave us no way to get another' }
  const fetchFn = openOAuthFetch(source.url)
  // Asked anew, because an upstream may have gone over to another issuer: that one must not see what this one gave.
  const found = await discoverOAuthServerInfo(source.url, {
    fetchFn,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
  })
  if (issuerOf(found) !== tokens.issuer) return { lost, why: 'it has gone over to another issuer' }
  try {
    const fresh = await refreshAuthorization(found.authorizationServerUrl, {
      ...(found.authorizationServerMetadata && { metadata: found.authorizationServerMetadata }),
      clientInformation: client.information,
      refreshToken: tokens.refresh_token,
      ...resourceOf(discovery),
      fetchFn,
    })
    const scope = fresh.scope ?? tokens.scope
    const kept = { ...fresh, ...(scope !== undefined && { scope }), issuer: tokens.issuer }
    return {
      grant: { ...grant, tokens: kept, obtainedAt: Date.now(), discovery: { ...discovery, ...found } },
    }
  } catch (error) {
    if (!(error instanceof OAuthError) || !final.has(error.code)) throw error
    const isUnknown = unknownClient.has(error.code)
    return {
      lost: isUnknown ? { ...lost, client: undefined } : lost,
      why: `its issuer said no (${error.code})`,
    }
  }
}

const unknownClient: ReadonlySet<string> = new Set([OAuthErrorCode.InvalidClient])
const final: ReadonlySet<string> = new Set([
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
  OAuthErrorCode.InvalidScope,
  OAuthErrorCode.AccessDenied,
  OAuthErrorCode.UnsupportedGrantType,
])
