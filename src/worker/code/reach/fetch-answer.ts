import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import type { Duplex, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { networkFailed } from './network-failure.ts'

/** What `fetch` gives to code. */
export interface FetchAnswer {
  url: string
  status: number
  statusText: string
  headers: Record<string, string>
  body: string
}

const decoders: Record<string, () => Duplex> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}
/** They are about the connection, or about the bytes as they came. */
const notTold = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-encoding',
  'content-length',
  'trailer',
  'upgrade',
])

/** Reads the answer whole; throws CodeFailed as soon as it is too large, unpacked or not. */
export async function fetchAnswer(
  incoming: IncomingMessage,
  url: URL,
  method: string,
  maxBytes: number,
): Promise<FetchAnswer> {
  const { statusCode: status = 0, statusMessage: statusText = '' } = incoming
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304
  const body = hasBody ? await bytesIn(incoming, url.hostname, maxBytes) : Buffer.alloc(0)
  incoming.destroy()
  return {
    url: withoutHash(url),
    status,
    statusText,
    headers: told(incoming),
    body: decoded(body, incoming.headers['content-type']),
  }
}

async function bytesIn(incoming: IncomingMessage, host: string, maxBytes: number): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) {
    incoming.destroy()
    throw tooLarge(host, maxBytes)
  }
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of unpacked(incoming, host) as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > maxBytes) throw tooLarge(host, maxBytes)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function unpacked(incoming: IncomingMessage, host: string): Readable {
  const coding = (incoming.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (coding === '' || coding === 'identity' || incoming.headers['content-length'] === '0') return incoming
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding]?.() : undefined
  if (!decoder) {
    incoming.destroy()
    throw networkFailed(
      'unknown_encoding',
      `${host} packs its answer in a way that is not known: ${coding.slice(0, 50)}`,
      { host },
    )
  }
  // What breaks is told by the end that is read.
  return pipeline(incoming, decoder, () => {})
}

function told({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => value !== undefined && !notTold.has(name))
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}

function decoded(body: Buffer, contentType = ''): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([\w.:-]+)"?/i.exec(contentType) ?? []
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return body.toString('utf8')
  }
}

function withoutHash(url: URL): string {
  const plain = new URL(url)
  plain.hash = ''
  return plain.href
}

const tooLarge = (host: string, maxBytes: number) =>
  networkFailed(
    'answer_too_large',
    `The answer of ${host} has more than ${maxBytes} bytes, which is what is allowed (network.maxRequestSize)`,
    {
      host,
      limit: maxBytes,
    },
  )
