import type { FetchLike } from '@modelcontextprotocol/client'
import { CallFailed } from '../port.ts'
import { exchanges } from './exchange.ts'
import { longestMessage, openAllowance, tooLongAnswer } from './limits.ts'
import type { Allowance } from './limits.ts'
import { isEventStream, post } from './post.ts'

const mostRedirects = 3

/**
 * Fetches for one source. What the owner gave for it (`headers`) goes to the address it was given for and nowhere else; no redirect is followed
 * to another host; nothing longer than a message may be is read; and whoever shouts has to wait.
 */
export function guardedFetch(base: URL, headers: Readonly<Record<string, string>>): FetchLike {
  const allowance = openAllowance()
  return async (address, init) => {
    let url = new URL(address, base)
    for (let redirects = 0; ; redirects += 1) {
      const told = withOurs(init?.headers, url.origin === base.origin ? headers : {})
      const response = await ask(url, { ...init, headers: told }, allowance)
      const target = response.headers.get('location')
      if (response.status < 300 || response.status > 399 || target === null) return response
      await response.body?.cancel()
      const isAllowed =
        redirects < mostRedirects && (init?.method === 'GET' || [307, 308].includes(response.status))
      url = allowedTarget(url, new URL(target, url), response.status, isAllowed)
    }
  }
}

async function ask(
  url: URL,
  init: RequestInit & { headers: Headers },
  allowance: Allowance,
): Promise<Response> {
  const { method, body, headers, signal } = init
  if (method !== 'POST' || typeof body !== 'string')
    return bounded(await fetch(url, { ...init, redirect: 'manual' }), allowance)
  const reading = { longest: longestMessage, tooLong: answerTooLong() }
  const response = await post(url, { body, headers, signal }, reading)
  if (!isEventStream(response.headers)) return response
  const exchange = exchanges.getStore()
  if (exchange) exchange.isStreamed = true
  return bounded(response, allowance)
}

function withOurs(
  given: RequestInit['headers'] | undefined,
  ours: Readonly<Record<string, string>>,
): Headers {
  const headers = new Headers(given)
  for (const [name, value] of Object.entries(ours)) headers.set(name, value)
  return headers
}

function allowedTarget(from: URL, to: URL, status: number, isAllowed: boolean): URL {
  if (to.origin === from.origin && isAllowed) return to
  const where = to.origin === from.origin ? `${to.origin}${to.pathname}` : `another host, ${to.origin}`
  throw new CallFailed(
    'source_unavailable',
    `It redirects to ${where} (${status}), which is not followed: if that is right, give that address`,
    { isUnsent: true },
  )
}

function bounded(response: Response, allowance: Allowance): Response {
  const { body, status, statusText, headers } = response
  if (!body) return response
  const isStream = isEventStream(headers)
  const length = Number(headers.get('content-length') ?? Number.NaN)
  if (!isStream && length <= longestMessage) return response
  const tooLong = answerTooLong()
  const read = body.pipeThrough(isStream ? boundedEvents(allowance, tooLong) : boundedWhole(tooLong))
  return new Response(read, { status, statusText, headers })
}

/** Tells whoever waits in this exchange. */
function answerTooLong(): () => never {
  const exchange = exchanges.getStore()
  return () => {
    const failure = new CallFailed('answer_too_large', tooLongAnswer)
    exchange?.fail(failure)
    throw failure
  }
}

function boundedWhole(tooLong: () => never): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(piece, controller) {
      size += piece.length
      if (size > longestMessage) tooLong()
      controller.enqueue(piece)
    },
  })
}

const [newline, carriageReturn] = [0x0a, 0x0d]

/** Every event of an endless stream on its own: they are told apart by empty lines. */
function boundedEvents(allowance: Allowance, tooLong: () => never): TransformStream<Uint8Array, Uint8Array> {
  let eventSize = 0
  let lineSize = 0
  const add = (bytes: number) => {
    lineSize += bytes
    eventSize += bytes
    if (eventSize > longestMessage) tooLong()
  }
  return new TransformStream({
    async transform(piece, controller) {
      let rest = 0
      let from = 0
      for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, from)) {
        add(at - from - (piece[at - 1] === carriageReturn ? 1 : 0))
        if (lineSize <= 0) {
          rest = Math.max(rest, allowance.spend(eventSize))
          eventSize = 0
        }
        lineSize = 0
        from = at + 1
      }
      add(piece.length - from)
      controller.enqueue(piece)
      if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest).unref())
    },
  })
}
