import type { IncomingMessage } from 'node:http'
import { hopByHop } from '#lib/hop-by-hop.ts'

export const previewCookie = 'signalbox_preview'

type Pair = [name: string, value: string]

function* passedOn({ rawHeaders, headers }: IncomingMessage): Generator<Pair> {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/\s*,\s*/))
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const lower = name.toLowerCase()
    if (!hopByHop.has(lower) && !named.has(lower)) yield [name, rawHeaders[at + 1] ?? '']
  }
}

/** What the app hears of the browser's request: all of it, but nothing that is ours. */
export function headersForApp(request: IncomingMessage, isOurToken: boolean): Pair[] {
  const pairs: Pair[] = []
  for (const [name, value] of passedOn(request)) {
    const lower = name.toLowerCase()
    if (lower === 'authorization' && isOurToken) continue
    const kept = lower === 'cookie' ? withoutOurs(value) : value
    if (kept !== '' || lower !== 'cookie') pairs.push([name, kept])
  }
  if (request.headers['transfer-encoding'] !== undefined) pairs.push(['Transfer-Encoding', 'chunked'])
  return pairs
}

/** What the browser hears of the app's answer. */
export function headersForBrowser(response: IncomingMessage): Pair[] {
  const pairs: Pair[] = []
  for (const [name, value] of passedOn(response))
    if (name.toLowerCase() !== 'set-cookie') pairs.push([name, value])
    else if (!isOurs(value)) pairs.push([name, forItsHostAlone(value)])
  return pairs
}

/** All that came under this name: another server on the same host may have set one too. */
export function previewKeys({ headers }: IncomingMessage): string[] {
  return crumbs(headers.cookie ?? '')
    .filter(isOurs)
    .map((crumb) => crumb.slice(crumb.indexOf('=') + 1).trim())
    .slice(0, 5)
}

const crumbs = (cookie: string) => cookie.split(';').map((crumb) => crumb.trim())
const isOurs = (crumb: string) => crumb.trimStart().split('=', 1)[0]?.trimEnd() === previewCookie

const withoutOurs = (cookie: string) =>
  crumbs(cookie)
    .filter((crumb) => crumb !== '' && !isOurs(crumb))
    .join('; ')

/** A cookie of the app is for the app: no domain above it is its own. */
const forItsHostAlone = (cookie: string) =>
  cookie
    .split(';')
    .filter((part, at) => at === 0 || !/^\s*domain\s*(?:=|$)/i.test(part))
    .join(';')
