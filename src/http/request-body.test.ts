import { createRoute } from '@hono/zod-openapi'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bareApp, serveApp } from '../../test/support/bare-app.ts'
import type { Served } from '../../test/support/bare-app.ts'
import { jsonBody, singleQueryParameters } from './request-body.ts'
import { newRoom } from './room.ts'

const limit = 1000
const route = createRoute({
  method: 'post',
  path: '/things',
  request: {
    body: {
      required: true,
      content: { 'application/json': { schema: z.strictObject({ title: z.string() }) } },
    },
  },
  responses: { 200: { description: 'what was read' } },
})

function app() {
  const room = newRoom()
  room.openapi(route, (c) => c.json(c.req.valid('json')))
  return bareApp().use(jsonBody(limit)).use(singleQueryParameters).route('/', room)
}

const filled = (size: number) => JSON.stringify({ title: 'x'.repeat(size - 12) })
const json = { 'content-type': 'application/json' }
const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
  app().request('/things', { method: 'POST', body, headers })

/** Sends these bytes over a socket, then `more` for as long as anyone listens; gives back all that is answered. */
function exchange(port: number, bytes: string, more?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1')
    const pour = () => {
      if (more) while (!socket.destroyed && socket.write(more));
      else socket.end()
    }
    socket.on('data', (data) => (answer += data.toString()))
    socket.on('drain', pour)
    socket.on('close', () => resolve(answer))
    socket.on('error', (error) => (answer ? resolve(answer) : reject(error)))
    socket.write(bytes)
    pour()
  })
}

let served: Served | undefined
afterEach(async () => {
  await served?.close()
  served = undefined
})

describe('jsonBody', () => {
  it('hands on what it has checked', async () => {
    const answer = await post('{"title":"Paint the signal – rot 🚦"}', {
      'content-type': 'application/json; charset=UTF-8',
    })
    expect(await answer.json()).toEqual({ title: 'Paint the signal – rot 🚦' })
  })

  it('leaves requests without a body to the route', async () => {
    const answer = await app().request('/things', { method: 'POST' })
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ error: { context: { fields: [{ field: 'title' }] } } })
  })

  it.each([
    ['{"title": ', 1, 11],
    ['{\n  "title": nope\n}', 2, 12],
  ])('says where %j is broken', async (body, line, column) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { code: 'bad_json', context: { line, column } } })
  })

  it('refuses bytes that are not UTF-8 instead of replacing them', async () => {
    const answer = await post(Buffer.from([...Buffer.from('{"title":"'), 0xff, 0xc0, ...Buffer.from('"}')]))
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { code: 'bad_json' } })
  })

  it.each([
    ['Content-Type', {}],
    ['Content-Type', { 'content-type': 'text/plain' }],
    ['Content-Type', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['Content-Type', { 'content-type': 'application/json; charset=utf-16' }],
    ['Content-Type', { 'content-type': 'application/jsonp' }],
    ['Content-Encoding', { ...json, 'content-encoding': 'gzip' }],
  ])('names %s when the headers are %j', async (field, headers) => {
    const answer = await post(Buffer.from('{"title":"x"}'), headers)
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({
      error: { code: 'does_not_fit', context: { in: 'header', fields: [{ field }] } },
    })
  })

  it.each([
    ['{"title":"a","title":"b"}', 'title'],
    ['{"title":"a","__proto__":{"admin":true}}', '__proto__'],
    [`{"title":${'['.repeat(100)}${']'.repeat(100)}}`, `title${'.0'.repeat(63)}`],
  ])('refuses %s with the path', async (body, field) => {
    const answer = await post(body)
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ error: { context: { in: 'body', fields: [{ field }] } } })
    expect({}).not.toHaveProperty('admin')
  })

  it('does not repeat a key as long as the body', async () => {
    const key = '🚦'.repeat(110)
    const answer = await post(`{"${key}":1,"${key}":2}`)
    expect(answer.status).toBe(422)
    expect(await answer.text()).not.toContain(key)
  })

  it('takes a body of exactly the limit, and not a byte more', async () => {
    expect((await post(filled(limit))).status).toBe(200)
    expect((await post(filled(limit + 1))).status).toBe(413)
  })

  it('believes what arrives, not what Content-Length says', async () => {
    const chunks = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(600))),
    })
    const answer = await app().request('/things', {
      method: 'POST',
      headers: { ...json, 'content-length': '10' },
      body: chunks,
      duplex: 'half',
    })
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ error: { code: 'body_too_large', context: { limit } } })
  })

  it('answers a body without end, and hangs up on it', async () => {
    served = await serveApp(app())
    const head = `POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const answer = await exchange(served.port, head, `400\r\n${'x'.repeat(1024)}\r\n`)
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
    expect(answer).toContain('body_too_large')
  })

  it('reads a body over a real socket, also in pieces', async () => {
    served = await serveApp(app())
    const head = `POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const answer = await exchange(served.port, `${head}8\r\n{"title"\r\n5\r\n:"x"}\r\n0\r\n\r\n`)
    expect(answer).toContain('{"title":"x"}')
  })

  it('reads as much over a real socket as was told, and the next request by itself', async () => {
    served = await serveApp(app())
    const head = `POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
    const two = `${head}Content-Length: 13\r\n\r\n{"title":"x"}${head}Content-Length: 13\r\n\r\n{"title":"y"}`
    expect(await exchange(served.port, two)).toMatch(/\{"title":"x"\}[^]*\{"title":"y"\}/)
    const tooLong = await exchange(served.port, `${head}Content-Length: 1001\r\n\r\n${filled(1001)}`)
    expect(tooLong).toMatch(/^HTTP\/1.1 413 /)
  })

  it('has read it for whoever else asks to', async () => {
    served = await serveApp(bareApp().use(jsonBody(limit)).route('/', app()))
    const request = { method: 'POST', body: '{"title":"x"}', headers: json }
    const answer = await fetch(`http://127.0.0.1:${served.port}/things`, request)
    expect(await answer.json()).toEqual({ title: 'x' })
  })
})

describe('singleQueryParameters', () => {
  it.each(['?page=1&page=2', '?page=1&%70age=2', '?page&page'])('refuses %s', async (query) => {
    const answer = await app().request(`/things${query}`, {
      method: 'POST',
      body: '{"title":"x"}',
      headers: json,
    })
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({
      error: { context: { in: 'query', fields: [{ field: 'page' }] } },
    })
  })

  it('lets different ones through', async () => {
    const answer = await app().request('/things?page=1&q=1', {
      method: 'POST',
      body: '{"title":"x"}',
      headers: json,
    })
    expect(answer.status).toBe(200)
  })
})
