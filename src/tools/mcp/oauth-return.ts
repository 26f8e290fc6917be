import { exchangeAuthorization, validateAuthorizationResponseIssuer } from '@modelcontextprotocol/client'
import { inertLine } from '#lib/inert-text.ts'
import { openOAuthFetch } from './oauth-fetch.ts'
import { issuerOf, resourceOf } from './oauth-grant.ts'
import type { Grant, Luggage } from './oauth-grant.ts'
import { LoginFailed } from './port.ts'
import type { GuardedSource } from './port.ts'

/** Turns what a person has brought back from the issuer into tokens. */
export async function redeem(
  source: GuardedSource,
  luggage: Luggage,
  parameters: Readonly<Record<string, string>>,
): Promise<Grant> {
  if (luggage.upstream !== source.url)
    throw new LoginFailed('Its address was changed in the meantime. Begin again.')
  const { discovery, client, redirectUrl, codeVerifier } = luggage
  const metadata = discovery.authorizationServerMetadata
  // First of all, also before an error is believed: whoever speaks in another's name could have written it.
  validateAuthorizationResponseIssuer({
    iss: parameters['iss'],
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  })
  if (parameters['error'] !== undefined) throw new LoginFailed(refusal(parameters))
  if (!parameters['code']) throw new LoginFailed('The address that you came back by has no code in it.')
  const tokens = await exchangeAuthorization(discovery.authorizationServerUrl, {
    ...(metadata && { metadata }),
    clientInformation: client,
    authorizationCode: parameters['code'],
    ...(parameters['iss'] !== undefined && { iss: parameters['iss'] }),
    codeVerifier,
    redirectUri: redirectUrl,
    ...resourceOf(discovery),
    fetchFn: openOAuthFetch(source.url),
  })
  const issuer = issuerOf(discovery)
  return {
    client: { information: { ...client, issuer }, redirectUrl },
    // An issuer may leave the scope out when it is the one that was asked for.
    tokens: { ...(luggage.scope !== undefined && { scope: luggage.scope }), ...tokens, issuer },
    obtainedAt: Date.now(),
    discovery,
  }
}

function refusal({ error = '', error_description: why }: Readonly<Record<string, string>>): string {
  const said = inertLine(why === undefined ? error : `${error}: ${why}`).slice(0, 500)
  return error === 'access_denied' ? `You were not let in (${said}).` : `Its issuer said no (${said}).`
}
