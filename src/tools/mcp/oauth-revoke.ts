import { selectClientAuthMethod } from '@modelcontextprotocol/client'
import { checkAddress, openOAuthFetch } from './oauth-fetch.ts'
import type { Grant } from './oauth-grant.ts'
import type { GuardedSource } from './port.ts'

/** Tells the issuer that we are done with what it gave (RFC 7009), if it wants to know. Says whether it was told. */
export async function revokeUpstream(
  source: GuardedSource,
  { tokens, client, discovery }: Grant,
): Promise<boolean> {
  const metadata = discovery?.authorizationServerMetadata
  const endpoint = metadata && 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined
  if (!tokens || !client || endpoint === undefined) return false
  const url = checkAddress(endpoint, source.url)
  const given = [
    ['refresh_token', tokens.refresh_token],
    ['access_token', tokens.access_token],
  ] as const
  for (const [hint, token] of given) {
    if (token === undefined) continue
    const { client_id: id, client_secret: secret } = client.information
    const body = new URLSearchParams({ token, token_type_hint: hint, client_id: id })
    const headers = new Headers()
    const methods = metadata?.token_endpoint_auth_methods_supported ?? []
    if (secret !== undefined && selectClientAuthMethod(client.information, methods) === 'client_secret_post')
      body.set('client_secret', secret)
    else if (secret !== undefined) headers.set('authorization', basic(id, secret))
    const { status } = await openOAuthFetch(source.url)(url, { method: 'POST', headers, body })
    if (status !== 200) throw new Error(`its issuer answered ${status}`)
  }
  return true
}

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
