import { request as startRequest } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { lookupIn } from '#lib/resolve-host.ts'
import { authorityOf, targetOf } from '#lib/target.ts'
import type { Target } from '#lib/target.ts'
import { oneRequest } from './one-request.ts'
import type { GateLimits, GateParts } from './open-gate.ts'
import { openPassage, reasonOf } from './passage.ts'
import type { Passage } from './passage.ts'
import { bodyHeaders, onwardHeaders, relay, say } from './relay.ts'
import { wayTo } from './resolve.ts'

type Found = { passage: Passage; lookup: ReturnType<typeof lookupIn> }
type Refusal = { status: number; sentence: string }

const connectMs = 30_000

/** An HTTP proxy: CONNECT, and requests for `http://…`. */
export function openEgress(parts: GateParts, limits: GateLimits): (connection: Duplex) => void {
  const { workspace, log } = parts

  /** Decides, and notes what was decided before anything goes out. */
  async function admit(target: Target, method: string): Promise<Found | Refusal> {
    const place = authorityOf(target)
    const passage = openPassage(parts, place, { method })
    try {
      const way = await wayTo(workspace(), target).catch((error: Error) => {
        passage.notFound(error)
        return { status: 502, sentence: `${target.host} was not found: ${reasonOf(error)}` }
      })
      if ('status' in way) return way
      if ('addresses' in way) {
        passage.begun()
        return { passage, lookup: lookupIn(way.addresses) }
      }
      passage.refused(way.why)
      return { status: 403, sentence: notAllowed(place, way.why) }
    } catch (error) {
      log(`The audit cannot be written, and nothing goes out: ${String(error)}`)
      return { status: 503, sentence: cannotNote }
    }
  }

  async function tunnel(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    const target = targetOf(request.url ?? '')
    const found = target
      ? await admit(target, 'CONNECT')
      : { status: 400, sentence: 'After CONNECT comes a host and a port: example.com:443' }
    if ('status' in found) return sayOver(connection, found)
    const { passage, lookup } = found
    const upstream = connect({ ...target!, lookup, allowHalfOpen: true })
    const late = setTimeout(() => upstream.destroy(new Error('It did not answer')), connectMs)
    let failure: Error | undefined
    upstream.setTimeout(limits.idleMs, () => upstream.destroy())
    upstream.once('connect', () => {
      clearTimeout(late)
      connection.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(head)
      connection.pipe(upstream)
      upstream.pipe(connection)
    })
    upstream.once('error', (error) => (failure = error))
    upstream.once('close', () => {
      clearTimeout(late)
      if (failure && upstream.bytesRead + upstream.bytesWritten === 0)
        sayOver(connection, { status: 502, sentence: `It could not be reached: ${reasonOf(failure)}` })
      else if (!upstream.readableEnded) connection.destroy()
      passage.over(carriedBy(upstream), failure)
    })
    connection.once('close', () => upstream.destroy())
    if (connection.destroyed) upstream.destroy()
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined
    const target = url?.protocol === 'http:' ? targetOf(url.host, 80) : undefined
    if (!url || !target)
      return say(
        response,
        400,
        'This is a proxy: ask for http://host/path, or use CONNECT for everything else',
      )
    const found = await admit(target, request.method ?? 'GET')
    if ('status' in found) return say(response, found.status, found.sentence)
    const upstream = startRequest({
      ...target,
      lookup: found.lookup,
      agent: false,
      method: request.method ?? 'GET',
      path: url.pathname + url.search,
      headers: { ...onwardHeaders(request), ...bodyHeaders(request), host: url.host },
    })
    relay(request, response, upstream, {
      passage: found.passage,
      idleMs: limits.idleMs,
      answer: (incoming) => ({ headers: onwardHeaders(incoming) }),
    })
  }

  return oneRequest(limits, {
    onRequest: (request, response) => void pass(request, response).catch(() => response.destroy()),
    onConnect: (request, connection, head) =>
      void tunnel(request, connection, head).catch(() => connection.destroy()),
  })
}

const carriedBy = ({ bytesWritten, bytesRead }: Socket) => ({ bytesOut: bytesWritten, bytesIn: bytesRead })

const notAllowed = (place: string, why: string): string =>
  `Signalbox does not let this workspace reach ${place}: ${why}. Its owner can allow it with the workspace's setting "egress".`

export const cannotNote =
  'Nothing goes out of this workspace at present, because it cannot be noted. The disk may be full.'

const phrases: Record<number, string> = { 400: 'Bad Request', 403: 'Forbidden', 502: 'Bad Gateway' }

function sayOver(connection: Duplex, { status, sentence }: Refusal): void {
  if (!connection.writable) return void connection.destroy()
  const text = `${sentence}\n`
  connection.resume()
  connection.end(
    [
      `HTTP/1.1 ${status} ${phrases[status] ?? 'Service Unavailable'}`,
      'content-type: text/plain; charset=utf-8',
      `content-length: ${Buffer.byteLength(text)}`,
      'connection: close',
      '',
      text,
    ].join('\r\n'),
  )
}
