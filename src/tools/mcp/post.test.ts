import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { post } from './post.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<URL> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const address = server.address()
  return new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/there?a=b`)
}

const reading = {
  longest: 1_000,
  tooLong: () => {
    throw new Error('too long')
  },
}
const ask = (url: URL, signal?: AbortSignal) =>
  post(
    url,
    { headers: new Headers({ 'content-type': 'application/json', 'x-own': '1' }), body: '{"ä":1}', signal },
    reading,
  )

test('sends what it is given by a connection that is used again, and follows nothing', async () => {
  const seen: unknown[] = []
  let connections = 0
  const answered = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const { method, url: path, headers } = request
    seen.push([method, path, headers['x-own'], headers['content-length'], body])
    response.writeHead(307, 'Over There', { location: '/elsewhere' }).end('{"is":"there"}')
  }
  const url = await serve((request, response) => void answered(request, response))
  servers[0]?.on('connection', () => (connections += 1))
  for (const _ of [1, 2]) {
    const answer = await ask(url)
    expect(answer).toMatchObject({ status: 307, statusText: 'Over There' })
    expect(answer.headers.get('location')).toBe('/elsewhere')
    expect(await answer.json()).toEqual({ is: 'there' })
  }
  expect(seen).toEqual(Array.from({ length: 2 }, () => ['POST', '/there?a=b', '1', '8', '{"ä":1}']))
  expect(connections).toBe(1)
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('reads what was packed by %s, and counts what comes out of it', async (encoding, pack) => {
  let text = '{"is":"packed"}'
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding, 'content-type': 'application/json' })
    response.end(pack(text))
  })
  const answer = await ask(url)
  expect(answer.headers.has('content-encoding')).toBe(false)
  expect(await answer.json()).toEqual({ is: 'packed' })
  text = 'x'.repeat(1_001)
  await expect(ask(url)).rejects.toThrow('too long')
})

test('gives a stream of events as soon as it begins, and ends it when it is told to', async () => {
  let closed: Promise<unknown> | undefined
  const url = await serve((_request, response) => {
    closed = once(response, 'close')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: 1\n\n')
  })
  const over = new AbortController()
  const answer = await ask(url, over.signal)
  const reader = answer.body?.getReader()
  const first = await reader?.read()
  expect(Buffer.from(first?.value ?? []).toString()).toBe('data: 1\n\n')
  over.abort()
  await expect(reader?.read()).rejects.toThrow('aborted')
  await closed
})

test('has no body where there is none, and says by a code that a connection was cut', async () => {
  const url = await serve((_request, response) => void response.writeHead(204).end())
  expect((await ask(url)).body).toBe(null)
  const cutting = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{', () => response.destroy())
  })
  await expect(ask(cutting)).rejects.toMatchObject({ code: 'ECONNRESET' })
})
