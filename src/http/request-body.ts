import type { Context, MiddlewareHandler } from 'hono'
import { Problem } from '#domain/problem.ts'
import { faultInJson } from '#lib/json.ts'
import type { Env } from './room.ts'

const jsonType = /^application\/(?:[a-z0-9.-]+\+)?json(?:\s*;\s*charset="?utf-8"?)?\s*$/i
const usualLimit = 1024 * 1024
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a request's JSON body before any handler does, and lets it through only if everyone would read it alike.
 * The request goes on with the text that was checked.
 */
export function jsonBody(
  given: number | ((path: string) => number | undefined) = usualLimit,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const limit = typeof given === 'number' ? given : given(c.req.path)
    const bytes = await readAtMost(limit ?? usualLimit, c)
    const text = decode(bytes)
    if (bytes.length > 0) {
      checkHeaders(c)
      checkText(text)
    }
    // An empty body has been read too, and can be read no second time.
    if (c.req.raw.body) {
      const { method, signal, url } = c.req.raw
      const headers = new Headers(c.req.raw.headers)
      // Clients that name the type of every request send none for nothing.
      if (bytes.length === 0) headers.delete('content-type')
      c.req.raw = new Request(url, { method, headers, signal, ...(bytes.length > 0 && { body: text }) })
    }
    await next()
  }
}

async function readAtMost(limit: number, c: Context<Env>): Promise<Uint8Array> {
  // Only spares the reading: what counts is what really arrives.
  if (Number(c.req.header('content-length') ?? 0) > limit) throw tooLarge(limit)
  if (c.req.method === 'GET' || c.req.method === 'HEAD' || !c.req.raw.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of c.req.raw.body) {
    size += chunk.length
    if (size > limit) throw tooLarge(limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

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
