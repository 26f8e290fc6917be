import { Agent, request as plainRequest } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'

export interface WorkerQuestion {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

export interface WorkerAnswer {
  status: number
  body: AsyncIterable<Uint8Array>
}

/** Connections are used again, and given up well before the worker does so by itself. */
const kept = { keepAlive: true, maxFreeSockets: 32, timeout: 30_000 }
const agents = { plain: new Agent(kept), secure: new SecureAgent(kept) }

/** Posts JSON to a worker, at `unix:PATH` or at an address. Resolves when the answer begins; its redirects are not followed. */
export function postTo(
  url: string,
  path: string,
  token: string,
  body: string,
  signal: AbortSignal,
): Promise<WorkerAnswer> {
  const headers = { 'content-type': 'application/json' }
  return sendTo(url, token, { method: 'POST', path, headers, body }, signal)
}

/** The same for any request. */
export async function sendTo(
  url: string,
  token: string,
  { method, path, headers, body }: WorkerQuestion,
  signal: AbortSignal,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: IncomingMessage }> {
  const options = { method, headers: { ...headers, authorization: `Bearer ${token}` }, signal }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const send = (open: typeof plainRequest, to: RequestOptions) =>
      open({ ...options, ...to }, resolve)
        .on('error', reject)
        .end(body)
    if (url.startsWith('unix:'))
      return send(plainRequest, { socketPath: url.slice('unix:'.length), path, agent: agents.plain })
    const { protocol, hostname, port, pathname, search } = new URL(path, url)
    const there = { hostname: hostname.replace(/^\[|\]$/g, ''), port, path: pathname + search }
    return protocol === 'https:'
      ? send(secureRequest, { ...there, agent: agents.secure })
      : send(plainRequest, { ...there, agent: agents.plain })
  })
  return { status: response.statusCode ?? 0, headers: response.headers, body: response }
}
