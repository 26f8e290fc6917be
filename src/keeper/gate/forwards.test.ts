import { once } from 'node:events'
import { request as startRequest } from 'node:http'
import type { IncomingMessage, RequestListener } from 'node:http'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import type { EnclosedSpec } from '#contract/workspace.ts'
import { ask, exchange, listening, startGate, startOutside, until } from '../../../test/support/gate.ts'
import { openAuditFile } from './audit-file.ts'

const key = 'sk-really-secret'

async function startForward(answer: RequestListener, spec: Partial<EnclosedSpec> = {}, path = '/base/v1') {
  const outside = await startOutside(answer)
  const forwards = [
    { name: 'model', url: `http://127.0.0.1:${outside}${path}`, headers: { 'X-Api-Key': key } },
    { name: 'mcp', url: `http://127.0.0.1:${outside}/mcp`, headers: {} },
  ]
  const gate = await startGate('forward', { egress: 'model', forwards, ...spec })
  return { ...gate, outside }
}

test('a request goes to the forward that its path names, with the key in place of whatever was sent', async () => {
  const heard: IncomingMessage[] = []
  const { port, audit, outside, log } = await startForward((request, response) => {
    heard.push(request)
    response.setHeader('set-cookie', ['a=b', 'c=d'])
    response.setHeader('x-kept', 'yes')
    request.resume().on('end', () => response.end('hello'))
  })
  const headers = {
    authorization: 'Bearer placeholder',
    'x-api-key': 'placeholder',
    'x-goog-api-key': 'placeholder',
    'api-key': 'placeholder',
    cookie: 'a=b',
    'x-mine': 'kept',
    'keep-alive': 'timeout=5',
  }
  const answered = await ask(port, { method: 'POST', path: '/model/messages?beta=true', headers }, '{"a":1}')
  expect(answered).toMatchObject({ status: 200, text: 'hello', headers: { 'x-kept': 'yes' } })
  expect(answered.headers['set-cookie']).toBeUndefined()
  expect(heard[0]?.url).toBe('/base/v1/messages?beta=true')
  expect(heard[0]?.headers).toMatchObject({
    host: `127.0.0.1:${outside}`,
    'x-api-key': key,
    'x-mine': 'kept',
    'content-length': '7',
  })
  expect(JSON.stringify(heard[0]?.rawHeaders)).not.toMatch(/placeholder|cookie|keep-alive/i)
  await until(() => audit().length === 2)
  expect(audit()).toMatchObject([
    { subject: `127.0.0.1:${outside}`, outcome: 'ok', detail: { forward: 'model', state: 'opened' } },
    { outcome: 'ok', detail: { forward: 'model', bytesOut: 7, bytesIn: 5 } },
  ])
  expect(JSON.stringify([audit(), log])).not.toContain(key)
})

test('what is said bit by bit arrives bit by bit, in both directions', async () => {
  const { port } = await startForward((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    request.on('data', (piece) => response.write(`data: ${piece}\n\n`))
    request.on('end', () => response.end())
  })
  const request = startRequest({ host: '127.0.0.1', port, method: 'POST', path: '/model/sse', agent: false })
  request.flushHeaders()
  const [response]: [IncomingMessage] = (await once(request, 'response')) as never
  request.write('one')
  expect(String((await once(response, 'data'))[0])).toBe('data: one\n\n')
  request.write('two')
  expect(String((await once(response, 'data'))[0])).toBe('data: two\n\n')
  request.end()
  await once(response, 'end')
})

test('an unknown name is told which there are', async () => {
  const { port } = await startForward((_, response) => response.end())
  expect(await ask(port, { path: '/other/messages' })).toMatchObject({
    status: 404,
    text: /There is no forward other; there are \/model, \/mcp\./,
  })
})

test.each([
  '/model/../admin',
  '/model/%2e%2e/admin',
  '/model/a%2F..%2fadmin',
  '/model/..\\admin',
  '/model/./x',
])('%s does not leave what the forward is for', async (path) => {
  let asked = 0
  const { port } = await startForward((_, response) => {
    asked += 1
    response.end()
  })
  expect(await exchange(port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
  expect(asked).toBe(0)
})

test('a key is never echoed: TRACE and CONNECT are not passed on', async () => {
  let asked = 0
  const { port } = await startForward((_, response) => {
    asked += 1
    response.end()
  })
  expect((await ask(port, { method: 'TRACE', path: '/model/x' })).status).toBe(405)
  expect(await exchange(port, 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/^HTTP\/1\.1 405 /)
  expect(asked).toBe(0)
})

test('a redirect is passed on where it stays within the forward, and refused elsewhere', async () => {
  const to: string[] = []
  const { port, outside, audit } = await startForward((_, response) => {
    response.writeHead(307, { location: to.shift() })
    response.end()
  })
  const passed = async (location: string) => {
    to.push(location)
    const { status, headers, text } = await ask(port, { path: '/model/a/b' })
    return [status, headers.location ?? text]
  }
  expect(await passed('/base/v1/c?d=e')).toEqual([307, '/model/c?d=e'])
  expect(await passed('c')).toEqual([307, '/model/a/c'])
  expect(await passed(`http://127.0.0.1:${outside}/base/v1/x`)).toEqual([307, '/model/x'])
  const refused = [502, expect.stringMatching(/sends elsewhere/)]
  expect(await passed('/base/v2/c')).toEqual(refused)
  expect(await passed('/base/v10/c')).toEqual(refused)
  expect(await passed('https://elsewhere.example/base/v1/c')).toEqual(refused)
  expect(await passed('//elsewhere.example/base/v1/c')).toEqual(refused)
  await until(() => audit().length === 14)
  expect(audit().filter(({ outcome }) => outcome === 'failed')).toHaveLength(4)
})

test('none lets only our own endpoint through, a list only what is in it', async () => {
  const { port, spec, audit, outside } = await startForward((_, response) => response.end('ok'), {
    egress: 'none',
  })
  expect((await ask(port, { path: '/mcp' })).text).toBe('ok')
  expect(await ask(port, { path: '/model/x' })).toMatchObject({
    status: 403,
    text: /its egress is none.*"egress"/,
  })
  spec.egress = ['example.com']
  expect((await ask(port, { path: '/model/x' })).status).toBe(403)
  spec.egress = ['example.com', `127.0.0.1:${outside}`]
  expect((await ask(port, { path: '/model/x' })).status).toBe(200)
  expect(audit().filter(({ outcome }) => outcome === 'refused')).toHaveLength(2)
})

test('when the book cannot be written nothing goes out', async () => {
  let calls = 0
  const outside = await listening(createServer(() => (calls += 1)))
  const forwards = [{ name: 'model', url: `http://127.0.0.1:${outside}`, headers: { authorization: key } }]
  const audit = openAuditFile('/dev/full')
  const { port } = await startGate('forward', { egress: 'open', forwards }, { audit })
  expect((await ask(port, { path: '/model/x' })).status).toBe(503)
  expect(calls).toBe(0)
})

test('whoever hangs up is not answered any more, and the other side hears of it', async () => {
  const closed = Promise.withResolvers<void>()
  const { port, audit } = await startForward((_, response) => {
    response.writeHead(200)
    response.write('begun')
    response.once('close', closed.resolve)
  })
  const request = startRequest({ host: '127.0.0.1', port, path: '/model/x', agent: false })
  request.on('error', () => undefined).end()
  const [response]: [IncomingMessage] = (await once(request, 'response')) as never
  await once(
    response.on('error', () => undefined),
    'data',
  )
  request.destroy()
  await closed.promise
  await until(() => audit().length === 2)
  expect(audit()[1]).toMatchObject({ outcome: 'ok', detail: { bytesIn: 5 } })
})

test('whoever hangs up before there is an answer is not waited for outside', async () => {
  const asked = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<string>()
  const { port } = await startForward((_, response) => {
    asked.resolve()
    response.once('close', () => closed.resolve('closed'))
  })
  const request = startRequest({ host: '127.0.0.1', port, path: '/model/x', agent: false })
  request.on('error', () => undefined).end()
  await asked.promise
  request.destroy()
  expect(await closed.promise).toBe('closed')
})

test('an answer that is cut off is cut off inside too, and not taken for whole', async () => {
  const { port, audit } = await startForward((_, response) => {
    response.writeHead(200)
    response.write('half', () => response.destroy())
  })
  await expect(ask(port, { path: '/model/x' })).rejects.toThrow(/aborted|hang up/)
  await until(() => audit().length === 2)
  expect(audit()[1]).toMatchObject({ outcome: 'failed' })
})

test('our own endpoint hears who asks, and what exactly, and no other forward does', async () => {
  const heard: IncomingMessage[] = []
  const { port } = await startForward(
    (request, response) => {
      heard.push(request)
      response.end()
    },
    { egress: 'none' },
  )
  const headers = { authorization: 'Bearer own', cookie: 'a=b', 'x-api-key': 'own' }
  expect((await ask(port, { path: '/mcp/raw/files?a=b', headers })).status).toBe(200)
  expect((await ask(port, { path: '/mcp', headers })).status).toBe(200)
  expect(heard.map(({ url }) => url)).toEqual(['/mcp/raw/files?a=b', '/mcp'])
  expect(heard[0]?.headers).toMatchObject({ authorization: 'Bearer own' })
  expect(heard[0]?.headers).not.toHaveProperty('cookie')
  expect(heard[0]?.headers).not.toHaveProperty('x-api-key')
})
