import { METHODS, validateHeaderName, validateHeaderValue } from 'node:http'
import { networkFailed } from './network-failure.ts'

/** What code asks for by `fetch`. */
export interface FetchRequest {
  url: URL
  method: string
  /** In lower case. */
  headers: ReadonlyMap<string, string>
  body: Buffer | undefined
}

/** These are ours to say: they decide who is spoken to, and where a message ends. */
const ours = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** Others may be secrets of the place that they were meant for. */
const harmlessElsewhere = new Set([
  'accept',
  'accept-language',
  'content-language',
  'content-type',
  'range',
  'user-agent',
])
const methods = new Set(METHODS.filter((method) => method !== 'CONNECT' && method !== 'TRACE'))
const bodiless = new Set(['GET', 'HEAD'])
const longestUrl = 16_384
const largestHeaders = 65_536

/** Throws CodeFailed. */
export function fetchRequest(given: unknown, maxBytes: number): FetchRequest {
  const asked = isRecord(given) ? given : {}
  const method = text(asked['method'] ?? 'GET', 'method').toUpperCase()
  if (!methods.has(method)) throw bad(`${shown(method)} is no method that fetch has`)
  const body = asked['body'] === undefined ? undefined : Buffer.from(text(asked['body'], 'body'))
  if (body && bodiless.has(method)) throw bad(`A ${method} has no body`)
  if (body && body.length > maxBytes)
    throw networkFailed(
      'request_too_large',
      `The request has ${body.length} bytes, and ${maxBytes} are allowed (network.maxRequestSize)`,
      { limit: maxBytes },
    )
  return { url: placeOf(text(asked['url'], 'url')), method, headers: headersIn(asked['headers']), body }
}

/** Throws CodeFailed. */
export function placeOf(text: string, base?: URL): URL {
  const url = text.length <= longestUrl ? URL.parse(text, base?.href) : null
  if (!url) throw bad(`${shown(text)} is no address: it begins with https:// or http://`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw bad(`${shown(url.protocol)} cannot be fetched: only https: and http: can`)
  if (url.username !== '' || url.password !== '')
    throw bad('An address with a name or a password in it is not fetched: use the header authorization')
  return url
}

/** The request that a redirect leads to. */
export function redirected(request: FetchRequest, status: number, url: URL): FetchRequest {
  const { method } = request
  const isAnew =
    (status === 303 && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST')
  const kept = [...request.headers].filter(
    ([name]) =>
      (url.origin === request.url.origin || harmlessElsewhere.has(name)) &&
      !(isAnew && name.startsWith('content-')),
  )
  return {
    url,
    method: isAnew ? 'GET' : method,
    headers: new Map(kept),
    body: isAnew ? undefined : request.body,
  }
}

function headersIn(given: unknown): Map<string, string> {
  const headers = new Map<string, string>()
  let size = 0
  for (const [name, value] of isRecord(given) ? Object.entries(given) : []) {
    const lower = name.toLowerCase()
    try {
      validateHeaderName(lower)
      validateHeaderValue(lower, text(value, name))
    } catch {
      throw bad(`${shown(name)} is no header that can be sent`)
    }
    size += name.length + String(value).length
    if (size > largestHeaders) throw bad(`The headers have more than ${largestHeaders} characters`)
    if (!ours.has(lower) && !lower.startsWith('proxy-')) headers.set(lower, text(value, name))
  }
  return headers
}

function text(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw bad(`${what} must be text`)
}

const bad = (message: string) => networkFailed('bad_request', message)

const shown = (value: string): string => (value.length > 100 ? `${value.slice(0, 100)}…` : value)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
