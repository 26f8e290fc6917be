import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client'
import type { Challenge } from './oauth-journey.ts'

const patienceMs = 10_000
const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
const accept = 'application/json, text/event-stream'

/** What an upstream says to somebody without a token: where its issuer is told of, and which scope it wants. */
export async function askedWithoutToken(url: string): Promise<Challenge> {
  // Old servers (SSE) take no POST at this address.
  for (const method of ['POST', 'GET']) {
    const given = method === 'POST' ? { body: ping } : {}
    const headers = { accept, ...(method === 'POST' && { 'content-type': 'application/json' }) }
    const signal = AbortSignal.timeout(patienceMs)
    const response = await fetch(url, { method, headers, ...given, redirect: 'manual', signal })
    await response.body?.cancel()
    if (response.status === 401) return extractWWWAuthenticateParams(response)
  }
  return {}
}
