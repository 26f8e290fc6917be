import type { LookupAddress } from 'node:dns'
import { Agent as HttpAgent, request as startHttp } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as startHttps } from 'node:https'
import { isIP } from 'node:net'
import { lookupIn } from '#lib/resolve-host.ts'
import { authorityOf } from '#lib/target.ts'
import type { Target } from '#lib/target.ts'
import type { FetchRequest } from './fetch-request.ts'

const largestHeaders = 65_536
const usualPorts: Record<string, number> = { 'http:': 80, 'https:': 443 }

/** What a request is for. */
export const targetIn = (url: URL): Target => ({
  host: url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''),
  port: url.port === '' ? (usualPorts[url.protocol] ?? 0) : Number(url.port),
})

/** Sends one request to exactly these addresses, on a connection of its own. Resolves when the answer begins. */
export function fetchOnce(
  request: FetchRequest,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { url, method, headers, body } = request
  const target = targetIn(url)
  const isSecure = url.protocol === 'https:'
  const [start, Agent] = isSecure ? [startHttps, HttpsAgent] : [startHttp, HttpAgent]
  const isUsual = target.port === usualPorts[url.protocol]
  return new Promise((resolve, reject) => {
    const outgoing = start({
      ...target,
      method,
      path: url.pathname + url.search,
      headers: {
        'user-agent': 'signalbox',
        accept: '*/*',
        ...Object.fromEntries(headers),
        'accept-encoding': 'gzip, deflate, br',
        connection: 'close',
        host: isUsual ? authorityOf(target).replace(/:\d+$/, '') : authorityOf(target),
        ...(body && { 'content-length': body.length }),
      },
      // Of its own, with nothing of the environment: no proxy, and no connection that another run has used.
      agent: new Agent({ keepAlive: false }),
      lookup: lookupIn(addresses),
      maxHeaderSize: largestHeaders,
      insecureHTTPParser: false,
      signal,
      ...(isSecure && { rejectUnauthorized: true, servername: isIP(target.host) === 0 ? target.host : '' }),
    })
    outgoing.once('response', resolve)
    outgoing.once('error', reject)
    // Should neither come.
    outgoing.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
    outgoing.end(body)
  })
}
