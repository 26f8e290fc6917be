import { constants } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import { ToolRefused } from '#lib/tool-refused.ts'

const longestAnswer = 64 << 20
const longestMessage = 10_000

interface Asked {
  signal: AbortSignal
  body?: object
}

/** One question to the host. Rejects with ToolRefused: by the host's own words, or because it does not answer as it should. */
export async function askHost(
  session: ClientHttp2Session,
  method: 'GET' | 'POST',
  path: string,
  { signal, body }: Asked,
): Promise<object> {
  const stream = streamHost(session, method, path, { signal })
  try {
    const answered = headersOf(stream)
    stream.end(body && JSON.stringify(body))
    const status = Number((await answered)[constants.HTTP2_HEADER_STATUS])
    const answer = parseObject(await readAll(stream))
    if (status === 200) return answer
    throw refusalIn(answer)
  } catch (error) {
    if (signal.aborted) throw new ToolRefused('tool_timed_out', 'The workspace did not answer in time.')
    throw error instanceof ToolRefused ? error : lineLost()
  } finally {
    stream.close(constants.NGHTTP2_CANCEL)
  }
}

/** A stream to the host that is cut when the signal says so. */
export function streamHost(
  session: ClientHttp2Session,
  method: 'GET' | 'POST',
  path: string,
  { signal }: Pick<Asked, 'signal'>,
): ClientHttp2Stream {
  if (session.closed || session.destroyed) throw lineLost()
  const headers = { [constants.HTTP2_HEADER_METHOD]: method, [constants.HTTP2_HEADER_PATH]: path }
  const stream = session.request(headers, { endStream: false })
  stream.on('error', () => undefined) // whoever reads it hears of it there
  const cut = () => stream.close(constants.NGHTTP2_CANCEL)
  signal.addEventListener('abort', cut, { once: true })
  stream.once('close', () => signal.removeEventListener('abort', cut))
  if (signal.aborted) cut()
  return stream
}

export function headersOf(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingHttpHeaders>()
  stream.once('response', resolve)
  stream.once('close', () => reject(lineLost()))
  promise.catch(() => undefined)
  return promise
}

/** The host is gone, or speaks no sense. */
export const lineLost = (): ToolRefused =>
  new ToolRefused(
    'workspace_not_running',
    'What encloses this workspace came down or does not answer as it should. Try again: it is put up anew.',
  )

async function readAll(stream: ClientHttp2Stream): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of stream as AsyncIterable<Buffer>) {
    size += part.length
    if (size > longestAnswer)
      throw new ToolRefused('file_too_large', 'The answer is larger than 64 MB. Ask for less at once.')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function parseObject(text: string): object {
  const found: unknown = JSON.parse(text)
  if (typeof found !== 'object' || found === null) throw lineLost()
  return found
}

function refusalIn(answer: {
  error?: { code?: unknown; message?: unknown; context?: unknown }
}): ToolRefused {
  const { code, message, context } = answer.error ?? {}
  if (typeof code !== 'string' || typeof message !== 'string') return lineLost()
  const isContext = typeof context === 'object' && context !== null
  return new ToolRefused(
    code.slice(0, 40),
    message.slice(0, longestMessage),
    isContext ? (context as Record<string, unknown>) : undefined,
  )
}
