import type { SourceConfig } from '#contract/source.ts'
import { CallFailed } from '../port.ts'
import type { Operation, SecurityScheme } from './operation.ts'

/** What is added to a request so that it is let in. */
export interface Credentials {
  headers: [name: string, value: string][]
  query: [name: string, value: string][]
  cookies: [name: string, value: string][]
}

type Secrets = Pick<SourceConfig, 'headers' | 'auth'>

/** The owner's headers, and what the operation asks for. Throws CallFailed `source_unauthorized`, if that is not there. */
export function credentialsFor(operation: Operation, secrets: Secrets): Credentials {
  const result: Credentials = { headers: Object.entries(secrets.headers), query: [], cookies: [] }
  const token = secrets.auth?.token
  const ways = operation.security ?? (token === undefined ? [] : [[{ kind: 'bearer' } as const]])
  const isFree = ways.some((schemes) => schemes.length === 0)
  const way = ways.find((schemes) => schemes.length > 0 && isOpen(schemes, secrets))
  if (!way && !isFree && ways.length > 0)
    throw closed(operation, 'the source has none: give it as auth.token or in headers')
  for (const scheme of way ?? []) {
    if (isInHeaders(scheme, secrets) || token === undefined) continue
    if (scheme.kind === 'bearer') result.headers.push(['authorization', `Bearer ${token}`])
    if (scheme.kind === 'basic') result.headers.push(['authorization', `Basic ${basic(token)}`])
    if (scheme.kind !== 'key') continue
    const places = { header: result.headers, query: result.query, cookie: result.cookies }
    places[scheme.in].push([scheme.name, token])
  }
  return result
}

/** One token opens one lock; the others have to be opened by headers. */
function isOpen(schemes: readonly SecurityScheme[], secrets: Secrets): boolean {
  const left = schemes.filter((scheme) => !isInHeaders(scheme, secrets))
  if (left.length === 0) return true
  return left.length === 1 && left[0]!.kind !== 'unknown' && secrets.auth?.token !== undefined
}

function isInHeaders(scheme: SecurityScheme, { headers }: Secrets): boolean {
  if (scheme.kind === 'unknown') return false
  const name = scheme.kind !== 'key' ? 'authorization' : scheme.in === 'cookie' ? 'cookie' : scheme.name
  if (scheme.kind === 'key' && scheme.in === 'query') return false
  return Object.keys(headers).some((one) => one.toLowerCase() === name.toLowerCase())
}

/** `user:password` is encoded; anything else is taken to be encoded. */
const basic = (token: string) => (token.includes(':') ? Buffer.from(token).toString('base64') : token)

/** For a server that is not the one whom the credentials are for. Throws CallFailed, if it asks for some. */
export function nothingFor(operation: Operation, home: string): Credentials {
  const { security = [] } = operation
  if (security.length > 0 && !security.some((schemes) => schemes.length === 0))
    throw closed(operation, `what the source has is for ${home} alone, and this is at ${operation.base}`)
  return { headers: [], query: [], cookies: [] }
}

function closed({ method, path, security = [] }: Operation, why: string): CallFailed {
  const wanted = security.map((schemes) => schemes.map(wordsFor).join(' and ')).join(', or ')
  return new CallFailed('source_unauthorized', `${method} ${path} needs ${wanted}, and ${why}`)
}

function wordsFor(scheme: SecurityScheme): string {
  if (scheme.kind === 'key') return `a key (${scheme.in} ${scheme.name})`
  if (scheme.kind === 'unknown') return `${scheme.called}, which is not supported`
  return scheme.kind === 'bearer' ? 'a bearer token' : 'a user and password (user:password)'
}
