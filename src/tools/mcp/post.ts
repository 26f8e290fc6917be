import { Agent as PlainAgent, request as plainRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { Readable, pipeline } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { urlToHttpOptions } from 'node:url'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

// Every call of a tool is a POST, and fetch takes twice as long for one. Given up before those at the other end do so by
// themselves, which is after 5 s with most; sooner where they say so.
const kept = {
  keepAlive: true,
  timeout: 4_000,
  ...(process.env['NODE_USE_ENV_PROXY'] === '1' && { proxyEnv: process.env }),
}
const ways = {
  'http:': { request: plainRequest, agent: new PlainAgent(kept) },
  'https:': { request: secureRequest, agent: new SecureAgent(kept) },
}
const connectMs = 10_000
const unzips = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}
const bodiless = new Set([204, 205, 304])

export interface Posted {
  headers: Headers
  body: string
  signal: AbortSignal | null | undefined
}

export interface Reading {
  longest: number
  /** Throws what is to be told of an answer that is longer. */
  tooLong: () => never
}

/**
 * As fetch does it, redirects not followed. An answer that is no stream of events is read to its end before it is given: it is bounded,
 * and whoever asked waits for all of it anyway.
 */
export async function post(url: URL, question: Posted, reading: Reading): Promise<Response> {
  // A connection that was kept may have been closed from there just now: after one turn of the loop we know.
  await turn()
  const incoming = await send(url, question)
  const headers = new Headers()
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2)
    headers.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '')
  const { statusCode: status = 0, statusMessage: statusText = '' } = incoming
  const init = { status, statusText, headers }
  const body = unzipped(incoming, headers)
  if (isEventStream(headers)) return new Response(Readable.toWeb(body) as ReadableStream, init)
  const bytes = await wholeOf(body, reading)
  return new Response(bodiless.has(status) ? null : bytes, init)
}

export const isEventStream = (headers: Headers): boolean =>
  headers.get('content-type')?.includes('text/event-stream') ?? false

function send(url: URL, { headers, body, signal }: Posted): Promise<IncomingMessage> {
  const { request, agent } = ways[url.protocol === 'https:' ? 'https:' : 'http:']
  const told = {
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': 'node',
    ...Object.fromEntries(headers),
  }
  return new Promise((resolve, reject) => {
    const asking = request(
      {
        ...urlToHttpOptions(url),
        method: 'POST',
        agent,
        headers: told,
        ...(signal && { signal }),
      },
      resolve,
    )
    asking.on('error', reject)
    asking.on('socket', (socket) => {
      if (!socket.connecting) return
      const late = setTimeout(() => asking.destroy(new ConnectTimeout()), connectMs)
      socket.once('close', () => clearTimeout(late))
      socket.once('connect', () => clearTimeout(late))
    })
    asking.end(body)
  })
}

class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT'
}

function unzipped(incoming: IncomingMessage, headers: Headers): Readable {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (!Object.hasOwn(unzips, encoding)) return incoming
  headers.delete('content-encoding')
  headers.delete('content-length')
  // Whoever reads the one hears of what is wrong with the other.
  return pipeline(incoming, unzips[encoding as keyof typeof unzips](), () => {})
}

async function wholeOf(body: Readable, { longest, tooLong }: Reading): Promise<Buffer<ArrayBuffer>> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > longest) tooLong()
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
