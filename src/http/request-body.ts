import type { Context, MiddlewareHandler } from 'hono'
import { Problem } from '#domain/problem.ts'
import { faultInJson } from '#lib/json.ts'
import type { Env } from './room.ts'
import { socketOf } from './socket.ts'

const jsonType = /^application\/(?:[a-z0-9.-]+\+)?json(?:\s*;\s*charset="?utf-8"?)?\s*$/i
const usualLimit = 1024 * 1024
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a request's JSON body before any handler does, and lets it through only if everyone would read it alike.
 * Whoever asks for it gets the text that was checked.
 */
export function jsonBody(
  given: number | ((path: string) => number | undefined) = usualLimit,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    // It was, on the way to a place that is not there.
    if (c.req.bodyCache.text) return next()
    const limit = typeof given === 'number' ? given : given(c.req.path)
    const bytes = await readAtMost(limit ?? usualLimit, c)
    const text = decode(bytes)
    if (bytes.length > 0) {
      checkHeaders(c)
      checkText(text)
      // Hono keeps what it has read as a promise.
      Object.assign(c.req.bodyCache, { text: Promise.resolve(text) })
    }
    // An empty body has been read too, and can be read no second time.
    else if (mayHaveBody(c)) {
      const { method, signal, url } = c.req.raw
      const headers = new Headers(c.req.raw.headers)
      // Clients that name the type of every request send none for nothing.
      headers.delete('content-type')
      c.req.raw = new Request(url, { method, headers, signal })
    }
    await next()
  }
}

async function readAtMost(limit: number, c: Context<Env>): Promise<Uint8Array> {
  const told = c.req.header('content-length')
  // Only spares the reading: what counts is what really arrives.
  if (Number(told ?? 0) > limit) throw tooLarge(limit)
  if (!mayHaveBody(c)) return new Uint8Array()
  // Of what comes by a socket Node reads no more than was told, and faster than a stream can be made of it.
  const isBounded = told !== undefined && socketOf(c) !== undefined
  const pieces = isBounded ? [new Uint8Array(await c.req.raw.arrayBuffer())] : c.req.raw.body
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of pieces ?? []) {
    size += chunk.length
    if (size > limit) throw tooLarge(limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const mayHaveBody = ({ req: { method } }: Context<Env>): boolean => method !== 'GET' && method !== 'HEAD'

const tooLarge = (limit: number) =>
  new Problem('body_too_large', `The body is larger than the ${limit} bytes that fit here`, { limit })

function checkHeaders(c: Context<Env>): void {
  const type = c.req.header('content-type')
  if (!type || !jsonType.test(type))
    throw misfit('header', 'Content-Type', 'must be application/json, in UTF-8, when there is a body')
  const encoding = c.req.header('content-encoding')
  if (encoding && encoding.toLowerCase() !== 'identity')
    throw misfit('header', 'Content-Encoding', 'must be left out: compressed bodies are not read')
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Problem('bad_json', 'The body is not valid UTF-8')
  }
}

function checkText(text: string): void {
  const fault = faultInJson(text)
  if (!fault) return
  const { line, column } = fault
  if (fault.kind === 'broken')
    throw new Problem(
      'bad_json',
      `The body is not valid JSON: line ${line}, column ${column}: ${fault.reason}`,
      {
        line,
        column,
      },
    )
  throw misfit('body', shortened(fault.path) || 'body', fault.reason, { line, column })
}

// A key can be as long as the body; an answer that repeats it should not.
const shortened = (path: string) => (path.length > 200 ? `${path.slice(0, 200)}…`.toWellFormed() : path)

function misfit(place: string, field: string, reason: string, more?: Record<string, unknown>): Problem {
  return new Problem('does_not_fit', `The ${place} does not fit: ${field}: ${reason}`, {
    in: place,
    fields: [{ field, reason }],
    ...more,
  })
}

/** Refuses `?page=1&page=2`: a list where one value is meant, of which every reader would pick another one. */
export const singleQueryParameters: MiddlewareHandler<Env> = async (c, next) => {
  for (const [name, values] of Object.entries(c.req.queries()))
    if (values.length > 1) throw misfit('query', shortened(name), 'must be given once')
  await next()
}
