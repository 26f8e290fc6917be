import { connect, createServer } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { ask, exchange, listening, startGate, startOutside, until } from '../../../test/support/gate.ts'
import { openAuditFile } from './audit-file.ts'

const connectTo = (place: string) => `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n\r\n`

/** Says back whatever it hears, and finishes when the other side has. */
const startEcho = () => listening(createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)))

test('a tunnel carries bytes both ways, also after one side has finished, and is noted with what it carried', async () => {
  const echo = await startEcho()
  const { port, audit } = await startGate('egress', { egress: [`127.0.0.1:${echo}`] })
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.write(`${connectTo(`127.0.0.1:${echo}`)}early`)
  socket.end(' and last words')
  let said = ''
  for await (const piece of socket) said += piece
  expect(said).toBe('HTTP/1.1 200 Connection established\r\n\r\nearly and last words')
  await until(() => audit().length === 2)
  expect(audit()).toMatchObject([
    { offset: 1, subject: `127.0.0.1:${echo}`, outcome: 'ok', detail: { state: 'opened' }, durationMs: null },
    {
      offset: 2,
      subject: `127.0.0.1:${echo}`,
      outcome: 'ok',
      detail: { state: 'closed', opened: 1, bytesOut: 20, bytesIn: 20 },
      durationMs: expect.any(Number),
    },
  ])
})

test('who has finished speaking outside is still spoken to', async () => {
  const heard = Promise.withResolvers<string>()
  const outside = await listening(
    createServer({ allowHalfOpen: true }, (socket) => {
      let said = ''
      socket.end('bye')
      socket.on('data', (piece) => (said += piece)).once('end', () => heard.resolve(said))
    }),
  )
  const { port } = await startGate('egress', { egress: [`127.0.0.1:${outside}`] })
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.write(connectTo(`127.0.0.1:${outside}`))
  socket.resume()
  await once(socket, 'end')
  socket.end('and one more thing')
  expect(await heard.promise).toBe('and one more thing')
})

test.each([
  ['none', 'its egress is none'],
  ['model', 'its egress is model, and its models are at api.example.com'],
  [['example.org'], 'it is not in the list that is its egress'],
] as const)('what %j does not allow is answered with 403, a reason and the setting', async (egress, why) => {
  const { port, audit } = await startGate('egress', {
    egress: typeof egress === 'string' ? egress : [...egress],
    modelHosts: ['api.example.com'],
  })
  const said = await exchange(port, connectTo('example.com:443'))
  expect(said).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
  expect(said).toContain(`does not let this workspace reach example.com:443: ${why}.`)
  expect(said).toContain('the workspace\'s setting "egress"')
  expect(audit()).toMatchObject([
    { offset: 1, subject: 'example.com:443', outcome: 'refused', detail: { reason: why } },
  ])
})

test.each([
  '127.0.0.1',
  'localhost',
  'localhost.',
  '0x7f.1',
  '2130706433',
  '0',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '169.254.169.254',
])('nothing of this machine is reached as %s, whatever is open', async (host) => {
  const echo = await startEcho()
  const { port, audit } = await startGate('egress', { egress: 'open' })
  expect(await exchange(port, connectTo(`${host}:${echo}`))).toMatch(/^HTTP\/1\.1 403 /)
  expect(audit()).toMatchObject([{ outcome: 'refused' }])
})

test('a name in the list that leads to this machine is not followed', async () => {
  const { port } = await startGate('egress', { egress: ['localhost'] })
  const said = await exchange(port, connectTo('localhost:443'))
  expect(said).toMatch(/^HTTP\/1\.1 403 /)
  expect(said).toMatch(/localhost leads to .*1, which is not a public address/)
})

test('a request for http://… is passed on once, as the one it is for', async () => {
  const heard: object[] = []
  const outside = await startOutside((request, response) => {
    let body = ''
    request.on('data', (piece) => (body += piece))
    request.on('end', () => {
      heard.push({ method: request.method, url: request.url, headers: request.headers, body })
      response.setHeader('x-answer', 'yes')
      response.end('hello')
    })
  })
  const { port, audit } = await startGate('egress', { egress: [`127.0.0.1:${outside}`] })
  const path = `http://127.0.0.1:${outside}/a/b?c=d`
  const headers = {
    host: 'elsewhere.example',
    'proxy-authorization': 'Basic c2VjcmV0',
    connection: 'x-mine',
    'x-mine': '1',
    'x-kept': '2',
  }
  const answered = await ask(port, { method: 'POST', path, headers }, 'four')
  expect(answered).toMatchObject({ status: 200, text: 'hello', headers: { 'x-answer': 'yes' } })
  expect(heard).toMatchObject([
    {
      method: 'POST',
      url: '/a/b?c=d',
      body: 'four',
      headers: { host: `127.0.0.1:${outside}`, 'x-kept': '2' },
    },
  ])
  expect(JSON.stringify(heard)).not.toMatch(/proxy-authorization|x-mine|elsewhere/)
  await until(() => audit().length === 2)
  expect(audit()[1]).toMatchObject({ outcome: 'ok', detail: { bytesOut: 4, bytesIn: 5, method: 'POST' } })
  expect((await ask(port, { path: 'http://example.com/' })).status).toBe(403)
})

test('a body without a length goes on in pieces, so that none of it is read as another request', async () => {
  const heard: string[] = []
  const outside = await startOutside((request, response) => {
    let body = ''
    request.on('data', (piece) => (body += piece))
    request.on('end', () => {
      heard.push(`${request.method} ${request.url} ${body}`)
      response.end()
    })
  })
  const { port } = await startGate('egress', { egress: [`127.0.0.1:${outside}`] })
  const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n'
  const place = `http://127.0.0.1:${outside}/seen`
  const body = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
  await exchange(port, `GET ${place} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body}`)
  expect(heard).toEqual([`GET /seen ${hidden}`])
})

test.each([
  ['two lengths', 'Content-Length: 1\r\nContent-Length: 2\r\n'],
  ['a length and pieces', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'],
  ['a name with a blank', 'Content-Length : 1\r\n'],
  ['a line that goes on', 'X-A: b\r\n c: d\r\nTransfer-Encoding:\r\n chunked\r\nContent-Length: 3\r\n'],
])('a request with %s is not passed on', async (_, headers) => {
  let asked = 0
  const outside = await startOutside((_request, response) => {
    asked += 1
    response.end()
  })
  const { port } = await startGate('egress', { egress: [`127.0.0.1:${outside}`] })
  const said = await exchange(
    port,
    `POST http://127.0.0.1:${outside}/ HTTP/1.1\r\nHost: x\r\n${headers}\r\nx`,
  )
  expect(said).toMatch(/^HTTP\/1\.1 400 /)
  expect(asked).toBe(0)
})

test('a second request on the same connection is not read', async () => {
  const asked: string[] = []
  const outside = await startOutside((request, response) => {
    asked.push(request.url ?? '')
    response.end('done')
  })
  const { port, audit } = await startGate('egress', { egress: [`127.0.0.1:${outside}`] })
  const one = (path: string) => `GET http://127.0.0.1:${outside}${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  const said = await exchange(port, one('/first') + one('/second'))
  expect(said).toMatch(/^HTTP\/1\.1 200 /)
  expect(asked).toEqual(['/first'])
  await until(() => audit().length === 2)
})

test('when the book cannot be written nothing goes out', async () => {
  let calls = 0
  const outside = await listening(createServer(() => (calls += 1)))
  const audit = openAuditFile('/dev/full')
  const { port, log } = await startGate('egress', { egress: [`127.0.0.1:${outside}`] }, { audit })
  expect(await exchange(port, connectTo(`127.0.0.1:${outside}`))).toMatch(
    /^HTTP\/1\.1 503 [^]*cannot be noted/,
  )
  const { status, text } = await ask(port, { path: `http://127.0.0.1:${outside}/` })
  expect([status, text]).toEqual([503, expect.stringContaining('The disk may be full')])
  expect(calls).toBe(0)
  expect(log).toHaveLength(2)
})

test('a place that cannot be reached is told and noted as failed', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port: free } = closed.address() as { port: number }
  await new Promise((resolve) => closed.close(resolve))
  const { port, audit } = await startGate('egress', { egress: [`127.0.0.1:${free}`, 'nowhere.invalid'] })
  expect(await exchange(port, connectTo(`127.0.0.1:${free}`))).toMatch(/^HTTP\/1\.1 502 [^]*ECONNREFUSED/)
  expect((await ask(port, { path: `http://127.0.0.1:${free}/` })).status).toBe(502)
  expect(await exchange(port, connectTo('nowhere.invalid:443'))).toMatch(/^HTTP\/1\.1 502 [^]*not found/)
  await until(() => audit().length === 5)
  const failed = audit().filter(({ outcome }) => outcome === 'failed')
  expect(failed.map(({ detail }) => detail['reason'])).toEqual([
    'ECONNREFUSED',
    'ECONNREFUSED',
    expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
  ])
})

test('what is no request of a proxy is answered, and nothing is noted', async () => {
  const { port } = await startGate('egress', { egress: 'open' })
  expect(await ask(port, { path: '/' })).toMatchObject({ status: 400, text: /This is a proxy/ })
  expect((await ask(port, { path: 'https://example.com/' })).status).toBe(400)
  expect(await exchange(port, connectTo('example.com'))).toMatch(/^HTTP\/1\.1 400 /)
  expect(await exchange(port, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
})

test('heads are bounded in bytes and in time, and so is silence', async () => {
  const echo = await startEcho()
  const { port, audit } = await startGate(
    'egress',
    { egress: [`127.0.0.1:${echo}`] },
    { limits: { headMs: 300, idleMs: 300 } },
  )
  expect(await exchange(port, `GET http://a/ HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 431 /,
  )
  expect(await exchange(port, 'CONNECT')).toBe('')
  expect(await exchange(port, connectTo(`127.0.0.1:${echo}`))).toMatch(/^HTTP\/1\.1 200 /)
  await until(() => audit().length === 2)
})

test('there are so many connections at once and no more, until one is over', async () => {
  const echo = await startEcho()
  const { port } = await startGate(
    'egress',
    { egress: [`127.0.0.1:${echo}`] },
    { limits: { connections: 2 } },
  )
  const open = [connect({ port, host: '127.0.0.1' }), connect({ port, host: '127.0.0.1' })]
  for (const socket of open) {
    socket.write(connectTo(`127.0.0.1:${echo}`))
    await once(socket, 'data')
  }
  expect(await exchange(port, connectTo(`127.0.0.1:${echo}`))).toMatch(
    /^HTTP\/1\.1 503 [^]*has 2 connections/,
  )
  open[0]!.destroy()
  const { promise, resolve } = Promise.withResolvers<void>()
  const again = async () => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(connectTo(`127.0.0.1:${echo}`))
    const [said] = await once(socket, 'data')
    socket.destroy()
    if (String(said).startsWith('HTTP/1.1 200')) resolve()
    else setTimeout(() => void again(), 20)
  }
  void again()
  await promise
  open[1]!.destroy()
})
