import { auth } from '@modelcontextprotocol/client'
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
} from '@modelcontextprotocol/client'
import { newSecret } from '#lib/secret.ts'
import { checkAddress, openOAuthFetch } from './oauth-fetch.ts'
import type { Grant, Luggage } from './oauth-grant.ts'
import { LoginFailed } from './port.ts'
import type { GuardedSource, WayBack } from './port.ts'

/** What the upstream said when it refused us. */
export interface Challenge {
  resourceMetadataUrl?: URL | undefined
  scope?: string | undefined
}

/**
 * Finds the issuer of an upstream, makes us known there, and says where a person has to go. Nothing is kept: what is needed when they are
 * back is in the luggage.
 */
export async function planJourney(
  source: GuardedSource,
  grant: Grant,
  back: WayBack,
  challenge: Challenge,
): Promise<{ authorizationUrl: string; state: string; luggage: Luggage }> {
  const state = newSecret('sbstate')
  let discovery: OAuthDiscoveryState | undefined
  let client: StoredOAuthClientInformation | undefined = knownClient(source, grant, back)
  let codeVerifier: string | undefined
  let authorizationUrl: string | undefined
  const provider: OAuthClientProvider = {
    redirectUrl: back.redirectUrl,
    clientMetadata: clientMetadata(back),
    ...(back.clientMetadataUrl !== undefined && { clientMetadataUrl: back.clientMetadataUrl }),
    state: () => state,
    clientInformation: () => client,
    // Where the owner has registered us, we do not register ourselves: not even when another issuer is named all at once.
    ...(source.clientId === undefined && {
      saveClientInformation: (information: StoredOAuthClientInformation) => void (client = information),
    }),
    tokens: () => undefined,
    saveTokens: () => undefined,
    discoveryState: () => undefined,
    saveDiscoveryState(found) {
      checkIssuer(found)
      discovery = found
    },
    saveCodeVerifier: (verifier) => void (codeVerifier = verifier),
    codeVerifier: () => codeVerifier ?? '',
    redirectToAuthorization: (url) => void (authorizationUrl = checkAddress(url, source.url).href),
  }
  await auth(provider, {
    serverUrl: source.url,
    ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
    ...(challenge.scope && { scope: challenge.scope }),
    forceReauthorization: true,
    fetchFn: openOAuthFetch(source.url),
  })
  if (!authorizationUrl || !codeVerifier || !discovery || !client)
    throw new LoginFailed('Its issuer did not say where to go.')
  const scope = new URL(authorizationUrl).searchParams.get('scope') ?? undefined
  const { url: upstream } = source
  const { redirectUrl } = back
  const luggage = { upstream, redirectUrl, codeVerifier, client, discovery, scope }
  return { authorizationUrl, state, luggage }
}

/** Who we are, told to issuers. */
function clientMetadata({ redirectUrl }: Pick<WayBack, 'redirectUrl'>): OAuthClientMetadata {
  return {
    client_name: 'Signalbox',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
}

function knownClient(
  source: GuardedSource,
  grant: Grant,
  back: WayBack,
): StoredOAuthClientInformation | undefined {
  const { clientId, clientSecret } = source
  const known = grant.client?.information
  if (clientId === undefined) return grant.client?.redirectUrl === back.redirectUrl ? known : undefined
  return {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    // The issuer that it was first used at: it is told to no other.
    ...(known?.client_id === clientId && known.issuer !== undefined && { issuer: known.issuer }),
  }
}

/** Without proof of who began (PKCE), whoever sees the code on its way could use it. */
function checkIssuer({ authorizationServerMetadata }: OAuthDiscoveryState): void {
  if (!authorizationServerMetadata)
    throw new LoginFailed('It does not say who lets people in (no metadata of an authorization server).')
  if (!authorizationServerMetadata.code_challenge_methods_supported?.includes('S256'))
    throw new LoginFailed('Its issuer does not support PKCE with S256, without which codes can be stolen.')
}
