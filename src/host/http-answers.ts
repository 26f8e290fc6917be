import type { IncomingMessage, ServerResponse } from 'node:http'
import { ToolRefused } from '#lib/tool-refused.ts'

const statusOf: Record<string, number> = {
  bad_json: 400,
  command_refused: 403,
  host_not_allowed: 403,
  path_outside: 403,
  path_not_permitted: 403,
  path_not_granted: 403,
  not_found: 404,
  output_gone: 404,
  path_not_found: 404,
  no_app: 404,
  search_too_long: 408,
  tool_timed_out: 408,
  file_changed: 409,
  file_exists: 409,
  body_too_large: 413,
  too_many_calls: 429,
  workspace_busy: 429,
  command_not_started: 502,
  disk_full: 503,
}
const doesNotFit = 422

export function sendJson(response: ServerResponse, status: number, body: object, headers: object = {}): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  response.end(text)
}

/** What went wrong, in the form in which all of Signalbox says so; nothing of how we are made. */
export function sendRefusal(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy()
  const { code, message, context } =
    error instanceof ToolRefused
      ? error
      : { code: 'internal', message: 'Something went wrong in the workspace', context: undefined }
  const status = code === 'internal' ? 500 : (statusOf[code] ?? doesNotFit)
  const retry = status === 429 ? { 'retry-after': Number(context?.['retryAfterSec'] ?? 1) } : {}
  // Whatever is left of a body that nobody reads would be taken for the next request.
  const close = status === 413 ? { connection: 'close' } : {}
  sendJson(
    response,
    status,
    { error: { code, message, ...(context && { context }) } },
    { ...retry, ...close },
  )
}

/** Rejects with ToolRefused when it is too long, or no JSON. */
export async function readJsonBody(request: IncomingMessage, most: number): Promise<unknown> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > most)
      throw new ToolRefused('body_too_large', `The body is longer than ${most / (1024 * 1024)} MB`)
    parts.push(part)
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'))
  } catch {
    throw new ToolRefused('bad_json', 'The body is not JSON')
  }
}

/** Aborted when whoever asked does not wait any more. */
export function untilHungUp(response: ServerResponse): AbortSignal {
  const hungUp = new AbortController()
  response.once('close', () => hungUp.abort())
  return hungUp.signal
}
