import { readWhole } from '#lib/read-whole.ts'
import { CallFailed } from '../port.ts'
import type { ApiRequest } from './build-request.ts'

export interface ApiAnswer {
  status: number
  statusText: string
  headers: Headers
  bytes: Buffer
  url: URL
}

export const largestAnswer = 10_485_760
const mostRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])
/** Nothing has been sent when these happen. */
const unsent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

interface Way {
  fetch: typeof fetch
  signal: AbortSignal
  largest?: number
}

/** Rejects with CallFailed. Other hosts are never followed to: what is in a request is for one of them alone. */
export async function send(request: ApiRequest, way: Way): Promise<ApiAnswer> {
  let url = request.url
  for (let followed = 0; ; followed += 1) {
    const response = await asked(request, url, way)
    const location = response.headers.get('location')
    if (!redirects.has(response.status) || location === null) return await read(response, url, way)
    await response.body?.cancel().catch(() => undefined)
    url = next(request.method, url, location, followed)
  }
}

async function asked({ method, headers, body }: ApiRequest, url: URL, way: Way): Promise<Response> {
  try {
    return await way.fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal: way.signal,
      ...(body && { body: body.content }),
    })
  } catch (error) {
    throw failure(error, url, way.signal)
  }
}

function next(method: string, from: URL, location: string, followed: number): URL {
  const called = `${method} ${from.origin}${from.pathname}`
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  if (to?.origin !== from.origin) {
    const where = to ? to.origin : 'an address that is none'
    throw new CallFailed('source_failed', `${called} leads on to ${where}: other hosts are not followed to`)
  }
  if (!['GET', 'HEAD'].includes(method)) {
    throw new CallFailed(
      'source_failed',
      `${called} leads on to ${to.pathname}: that is followed for GET only`,
    )
  }
  if (followed >= mostRedirects) {
    throw new CallFailed('source_failed', `${called} leads on and on: ${mostRedirects} times were followed`)
  }
  return to
}

async function read(
  response: Response,
  url: URL,
  { signal, largest = largestAnswer }: Way,
): Promise<ApiAnswer> {
  const { status, statusText, headers, body } = response
  let isTooLarge = false
  async function* pieces() {
    let size = 0
    for await (const piece of body ?? []) {
      size += piece.length
      if (size > largest) isTooLarge = true
      yield piece
    }
  }
  try {
    return { status, statusText, headers, url, bytes: await readWhole(pieces(), largest) }
  } catch (error) {
    if (!isTooLarge) throw failure(error, url, signal)
    const message = `The answer of ${url.origin}${url.pathname} is larger than ${largest / 1_048_576} MB`
    throw new CallFailed('answer_too_large', message)
  }
}

function failure(error: unknown, url: URL, signal: AbortSignal): CallFailed {
  if (signal.aborted) return new CallFailed('cancelled', 'The call was given up')
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const why = code || (cause instanceof Error ? cause.message : 'nobody knows why')
  const isUnsent = unsent.has(code)
  const what = isUnsent ? 'cannot be reached' : 'did not answer to the end'
  return new CallFailed('source_unavailable', `${url.origin} ${what} (${why})`, { isUnsent })
}
