import type { IncomingMessage, OutgoingHttpHeaders, RequestOptions, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { EnclosedSpec, Forward } from '#contract/workspace.ts'
import { authorityOf, targetOf } from '#lib/target.ts'
import type { Target } from '#lib/target.ts'
import { leaveFor } from './allowed.ts'
import { cannotNote } from './egress.ts'
import { oneRequest } from './one-request.ts'
import type { GateLimits, GateParts } from './open-gate.ts'
import { openPassage } from './passage.ts'
import { bodyHeaders, onwardHeaders, relay, say } from './relay.ts'

/** The client's own, whatever it has put there: a placeholder at best. */
const keys = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'cookie', 'host']
/** Whoever asks there shows a token of their own. */
const ownEndpoint = 'mcp'
/** What comes back is for this answer alone. */
const notKept = ['set-cookie', 'set-cookie2']

/** `/<name>/rest` goes to the forward of that name, with what is added on the way. */
export function openForwards(parts: GateParts, limits: GateLimits): (connection: Duplex) => void {
  const { workspace, log } = parts

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const spec = workspace()
    const [, name = '', rest = ''] = /^\/([^/?]*)(.*)$/s.exec(request.url ?? '') ?? []
    const found = spec.forwards.find((one) => one.name === name)
    if (!found) return say(response, 404, unknown(spec, name))
    if (leavesBase(rest)) return say(response, 400, 'The path must not lead upwards')
    // It would be answered with all headers, the key among them.
    if (request.method === 'TRACE') return say(response, 405, 'TRACE is not passed on')
    const url = new URL(found.url)
    const target = targetOf(url.host, url.protocol === 'https:' ? 443 : 80)
    if (!target) return say(response, 502, `The address of ${name} is not one that can be reached`)
    const place = authorityOf(target)
    const passage = openPassage(parts, place, { forward: name, method: request.method ?? 'GET' })
    try {
      const why = refusal(spec, name, target)
      if (why !== undefined) {
        passage.refused(why)
        return say(
          response,
          403,
          `Signalbox does not let this workspace reach ${name} at ${place}: ${why}. Its owner can allow it with the workspace's setting "egress".`,
        )
      }
      passage.begun()
    } catch (error) {
      log(`The audit cannot be written, and nothing goes out: ${String(error)}`)
      return say(response, 503, cannotNote)
    }
    const path = url.pathname.replace(/\/$/, '') + rest || '/'
    const upstream = await start(url, {
      method: request.method ?? 'GET',
      path,
      headers: headersFor(request, found),
    }).catch(() => undefined)
    if (!upstream) {
      passage.over({ bytesOut: 0, bytesIn: 0 }, new Error('not a request'))
      return say(response, 400, 'This is not a request that can be passed on')
    }
    relay(request, response, upstream, {
      passage,
      idleMs: limits.idleMs,
      answer: (incoming) => answerOf(incoming, found, new URL(path, url.origin)),
    })
  }

  return oneRequest(limits, {
    onRequest: (request, response) => void forward(request, response).catch(() => response.destroy()),
  })
}

/** Our own endpoint is no way out. */
function refusal(spec: EnclosedSpec, name: string, target: Target): string | undefined {
  if (name === ownEndpoint || spec.egress === 'model' || spec.egress === 'open') return undefined
  const leave = leaveFor(spec, target)
  return leave.isAllowed ? undefined : leave.why
}

function unknown({ forwards }: EnclosedSpec, name: string): string {
  const names = forwards.map((one) => `/${one.name}`).join(', ')
  return `There is no forward ${name.slice(0, 100)}; there ${names ? `are ${names}` : 'is none'}.`
}

/** A path whose dots are understood by the other side would leave what the forward is for. */
const leavesBase = (rest: string): boolean =>
  rest
    .split(/[?#]/, 1)[0]!
    .replaceAll(/%2e/gi, '.')
    .split(/[/\\]|%2f|%5c/i)
    .some((part) => part === '..' || part === '.')

/** What the forward adds replaces whatever came under that name. */
function headersFor(request: IncomingMessage, { name, headers }: Forward): OutgoingHttpHeaders {
  const added = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const dropped = name === ownEndpoint ? keys.filter((key) => key !== 'authorization') : keys
  const own = onwardHeaders(request, [...dropped, ...Object.keys(added)])
  return { ...own, ...bodyHeaders(request), ...added }
}

/** Loaded when it is first needed: the half of what it takes is encryption. */
async function start(url: URL, options: RequestOptions) {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const { hostname, port } = url
  return request({ ...options, hostname: hostname.replace(/^\[|\]$/g, ''), port, agent: false })
}

/** One that sends elsewhere would have the inside go there by itself, or bring the key along. */
function answerOf(
  incoming: IncomingMessage,
  { name, url }: Forward,
  asked: URL,
): { headers: OutgoingHttpHeaders } | { why: string } {
  const headers = onwardHeaders(incoming, notKept)
  const to = incoming.headers.location
  if (to === undefined) return { headers }
  const path = new URL(url).pathname.replace(/\/$/, '')
  const target = URL.canParse(to, asked.href) ? new URL(to, asked) : undefined
  if (target?.origin !== asked.origin || !`${target.pathname}/`.startsWith(`${path}/`))
    return { why: `${name} sends elsewhere${target ? `, to ${target.host}` : ''}, which is not followed` }
  return {
    headers: { ...headers, location: `/${name}${target.pathname.slice(path.length)}${target.search}` },
  }
}
