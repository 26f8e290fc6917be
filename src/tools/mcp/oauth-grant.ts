import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'

/** What one upstream gave us for one person. */
export interface Grant {
  /** As the issuer knows us; it goes with the address that people come back to. */
  client?: { information: StoredOAuthClientInformation; redirectUrl: string } | undefined
  tokens?: StoredOAuthTokens | undefined
  /** Of the access token. */
  obtainedAt?: number | undefined
  discovery?: OAuthDiscoveryState | undefined
  /** What the upstream has asked for since, beyond what it gave. */
  wantedScope?: string | undefined
}

/** What somebody who is on the way to an issuer has with them, until they are back. */
export interface Luggage {
  upstream: string
  redirectUrl: string
  codeVerifier: string
  client: StoredOAuthClientInformation
  discovery: OAuthDiscoveryState
  scope?: string | undefined
}

const marginMs = 30_000

/** When the access token expires, as far as we were told. */
export function expiryOf({ tokens, obtainedAt }: Grant): Date | null {
  if (!tokens?.expires_in || obtainedAt === undefined) return null
  return new Date(obtainedAt + tokens.expires_in * 1_000)
}

/** A token that is about to expire would do so on its way. */
export function hasExpired(grant: Grant, now: number): boolean {
  const expiry = expiryOf(grant)
  if (!expiry || grant.obtainedAt === undefined) return false
  const life = expiry.getTime() - grant.obtainedAt
  return now >= expiry.getTime() - Math.min(marginMs, life / 2)
}

/** The indicator of RFC 8707, as the upstream spells it. */
export const resourceOf = (discovery: OAuthDiscoveryState): { resource?: string } =>
  discovery.resourceMetadata ? { resource: discovery.resourceMetadata.resource } : {}

export const issuerOf = (discovery: OAuthDiscoveryState): string =>
  discovery.authorizationServerMetadata?.issuer ?? discovery.authorizationServerUrl
