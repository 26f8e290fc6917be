import { execFile } from 'node:child_process'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import type { CodeGrants } from '#domain/code-capabilities.ts'
import { openLocalServer } from './fixtures/local-server.ts'
import { openNetworkReach } from './network.ts'

const MEGABYTE = 1024 ** 2
const never = new AbortController().signal

interface Opened extends Partial<CodeGrants['network']> {
  /** What names lead to, one answer after the other. */
  names?: Record<string, string[][]>
  ownPorts?: number[]
  ownHosts?: string[]
}

function open({ names = {}, ownPorts = [], ownHosts = [], ...grants }: Opened) {
  const lookedUp: string[] = []
  const asked: string[] = []
  const answers = new Map(Object.entries(names).map(([name, all]) => [name, [...all]]))
  const resolve = async (host: string): Promise<LookupAddress[]> => {
    lookedUp.push(host)
    const left = answers.get(host)
    const found = isIP(host) !== 0 ? [host] : ((left && left.length > 1 ? left.shift() : left?.[0]) ?? [])
    if (found.length === 0) throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' })
    return found.map((address) => ({ address, family: isIP(address) }))
  }
  const network = openNetworkReach({
    grants: { hosts: [], ports: [], perSecond: 1_000, maxBytes: MEGABYTE, timeoutMs: 20_000, ...grants },
    own: { hosts: ownHosts, ports: ownPorts },
    resolve,
    onRequest: ({ host }) => void asked.push(host),
  })
  const fetch = (url: string, more: object = {}, signal = never, beforeSend?: () => Promise<void>) =>
    network.fetch([{ url, ...more }], signal, beforeSend)
  const failure = (url: string, more: object = {}, signal = never) =>
    fetch(url, more, signal).then(
      () => 'nothing failed',
      (error: unknown) => error,
    )
  return { fetch, failure, lookedUp, asked }
}

const local = { 'api.example': [['127.0.0.1']] }
const violation = (more: object = {}) =>
  expect.objectContaining({ type: 'security', code: 'CAPABILITY_VIOLATION', ...more })
const failed = (reason: string, more: object = {}) =>
  expect.objectContaining({
    type: 'network',
    code: 'NETWORK_ERROR',
    details: expect.objectContaining({ reason, ...more }),
  })

describe('a request', () => {
  test('waits for what is to be done before it goes out, which is not done for what does not go out', async () => {
    const did: string[] = []
    const server = await openLocalServer((_request, response) => {
      did.push('asked')
      response.end()
    })
    const { fetch } = open({ hosts: ['api.example', '127.0.0.1'], names: local })
    const beforeSend = async () => void did.push('before')
    await fetch(server.at('api.example'), {}, never, beforeSend)
    expect(did).toEqual(['before', 'asked'])
    await expect(fetch(server.at('other.example'), {}, never, beforeSend)).rejects.toThrow('may not call')
    await expect(fetch('http://api.example.:1/', { method: '?' }, never, beforeSend)).rejects.toThrow('?')
    expect(did).toEqual(['before', 'asked'])
    const refuse = () => Promise.reject(new Error('Somebody else does it'))
    await expect(fetch(server.at('api.example'), {}, never, refuse)).rejects.toThrow('could not be asked')
    expect(did).toEqual(['before', 'asked'])
  })

  test('goes out as it was written, and its answer comes back', async () => {
    const server = await openLocalServer((_request, response) =>
      response
        .writeHead(201, 'Made', { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] })
        .end('{"é":1}'),
    )
    const { fetch, asked } = open({ hosts: ['api.example', '127.0.0.1'], names: local })
    const answer = await fetch(server.at('API.example.', '/a?b=c#d'), {
      method: 'post',
      headers: {
        'X-Mine': 'yes',
        authorization: 'Bearer x',
        Host: 'elsewhere',
        'Content-Length': '1',
        'proxy-authorization': 'x',
        Connection: 'keep-alive',
      },
      body: 'hello é',
    })
    expect(answer).toEqual({
      url: server.at('api.example.', '/a?b=c'),
      status: 201,
      statusText: 'Made',
      headers: expect.objectContaining({ 'content-type': 'application/json', 'set-cookie': 'a=1, b=2' }),
      body: '{"é":1}',
    })
    expect(answer.headers).not.toHaveProperty('connection')
    const [seen] = server.seen
    expect(seen).toMatchObject({
      method: 'POST',
      url: '/a?b=c',
      body: 'hello é',
      headers: {
        'x-mine': 'yes',
        authorization: 'Bearer x',
        host: `api.example:${server.port}`,
        'content-length': '8',
        connection: 'close',
      },
    })
    expect(seen?.headers).not.toHaveProperty('proxy-authorization')
    expect(asked).toEqual(['api.example'])
    await vi.waitFor(async () => expect(await server.connections()).toBe(0), 20_000)
  })

  test.each([
    ['ftp://api.example/', {}],
    ['file:///etc/passwd', {}],
    ['not an address', {}],
    ['http://user:pass@api.example/', {}],
    [`http://api.example/${'x'.repeat(20_000)}`, {}],
    ['http://api.example/', { method: 'CONNECT' }],
    ['http://api.example/', { method: 'TRACE' }],
    ['http://api.example/', { method: 'GET / HTTP/1.1\r\nx: y\r\n\r\n' }],
    ['http://api.example/', { body: 'x' }],
    ['http://api.example/', { method: 'POST', body: 3 }],
    ['http://api.example/', { headers: { 'a b': 'c' } }],
    ['http://api.example/', { headers: { a: 'b\r\nc: d' } }],
    ['http://api.example/', { headers: { a: 'x'.repeat(70_000) } }],
  ])('that is none is told: %.30s %o', async (url, more) => {
    const { failure, lookedUp } = open({ hosts: ['*'], names: local })
    expect(await failure(url, more)).toEqual(failed('bad_request'))
    expect(lookedUp).toEqual([])
  })

  test('uses no proxy of our environment', async () => {
    const server = await openLocalServer((_request, response) => response.end('direct'))
    const script = `
      const { openNetworkReach } = await import('#worker/code/reach/network.ts')
      const network = openNetworkReach({
        grants: { hosts: ['127.0.0.1'], ports: [], perSecond: 1, maxBytes: 1000, timeoutMs: 20000 },
        own: { hosts: [], ports: [] },
        onRequest() {},
      })
      const { body } = await network.fetch([{ url: '${server.at('127.0.0.1')}' }], new AbortController().signal)
      process.stdout.write(body)`
    const env = { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '' }
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env,
    })
    expect(stdout).toBe('direct')
  })
})

describe('where it goes', () => {
  test('is decided before anybody looks a name up', async () => {
    const { failure, lookedUp } = open({ hosts: ['api.example'], ports: [443], names: local })
    expect(await failure('https://secret-as-name.evil.example/')).toEqual(
      violation({
        details: {
          host: 'secret-as-name.evil.example',
          port: 443,
          capability: 'network:secret-as-name.evil.example:443',
        },
      }),
    )
    expect(await failure('http://api.example/')).toEqual(violation())
    expect(lookedUp).toEqual([])
  })

  test('is no address that is not public, though its name is granted, unless the address is named', async () => {
    const server = await openLocalServer((_request, response) => response.end('inside'))
    for (const hosts of [['api.example'], ['*'], ['*.example']]) {
      const { failure } = open({ hosts, names: local })
      expect(await failure(server.at('api.example'))).toEqual(
        violation({
          message: expect.stringContaining('leads to 127.0.0.1'),
          details: expect.objectContaining({ capability: 'network:127.0.0.1' }),
        }),
      )
    }
    expect(server.seen).toEqual([])
    const { fetch } = open({ hosts: ['api.example', `127.0.0.1:${server.port}`], names: local })
    expect(await fetch(server.at('api.example'))).toMatchObject({ body: 'inside' })
  })

  test.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '１２７.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '169.254.169.254',
    '10.0.0.1',
    '192.168.1.1',
    '[fd00::1]',
    '[fe80::1]',
    '0.0.0.0',
    '224.0.0.1',
  ])('is not %s, however it is spelt', async (host) => {
    const { failure, asked } = open({ hosts: ['*', 'localhost'] })
    expect(await failure(`http://${host}:8080/`)).toEqual(violation())
    expect(asked).toEqual([])
  })

  test('is exactly the address that was looked at', async () => {
    const [good, evil] = [
      await openLocalServer((_request, response) => response.end('good')),
      await openLocalServer((_request, response) => response.end('evil'), '127.0.0.2'),
    ]
    const names = {
      'rebind.example': [['127.0.0.1'], ['127.0.0.2']],
      'both.example': [['127.0.0.2', '127.0.0.1']],
    }
    const hosts = ['rebind.example', 'both.example', '127.0.0.1']
    const one = open({ hosts, names })
    expect(await one.fetch(good.at('rebind.example'))).toMatchObject({ body: 'good' })
    expect(one.lookedUp).toEqual(['rebind.example'])
    expect(await one.failure(evil.at('rebind.example'))).toEqual(violation())
    expect(await one.fetch(good.at('both.example'))).toMatchObject({ body: 'good' })
    expect(evil.seen).toEqual([])
  })

  test('is not Signalbox itself, whatever was granted', async () => {
    const server = await openLocalServer((_request, response) => response.end('ours'))
    const { failure } = open({
      hosts: ['127.0.0.1', 'api.example', 'box.example'],
      names: local,
      ownPorts: [server.port],
      ownHosts: ['box.example:443'],
    })
    for (const url of [server.at('127.0.0.1'), server.at('api.example'), 'https://box.example/'])
      expect(await failure(url)).toEqual(violation({ message: expect.stringContaining('Signalbox itself') }))
    expect(server.seen).toEqual([])
  })
})

describe('a redirect', () => {
  const names = {
    'a.example': [['127.0.0.1']],
    'b.example': [['127.0.0.1']],
    'inside.example': [['127.0.0.2']],
  }
  const hosts = ['a.example', 'b.example', 'inside.example', '127.0.0.1']
  /** Leads to whatever the path says. */
  const openLeading = () =>
    openLocalServer(({ url = '' }, response) => {
      const [, status, to] = /^\/(\d+)\/(.*)$/.exec(decodeURIComponent(url)) ?? []
      if (status) response.writeHead(Number(status), { location: to }).end('elsewhere')
      else response.end('arrived')
    })
  const leading = (status: number, to: string) => `/${status}/${encodeURIComponent(to)}`

  test('is looked at like the first request', async () => {
    const server = await openLeading()
    const inside = await openLocalServer((_request, response) => response.end('secret'), '127.0.0.2')
    const { failure, fetch } = open({ hosts, names })
    for (const to of [
      inside.at('inside.example'),
      inside.at('127.0.0.2'),
      'http://169.254.169.254/',
      'http://other.example/',
    ])
      expect(await failure(server.at('a.example', leading(302, to)))).toEqual(violation())
    for (const to of ['file:///etc/passwd', 'ftp://a.example/', 'http://u:p@a.example/'])
      expect(await failure(server.at('a.example', leading(302, to)))).toEqual(failed('bad_request'))
    expect(inside.seen).toEqual([])
    expect(await fetch(server.at('a.example', leading(302, '/there')))).toMatchObject({
      body: 'arrived',
      url: server.at('a.example', '/there'),
    })
  })

  test('takes no secrets elsewhere, and does what its status says', async () => {
    const server = await openLeading()
    const { fetch } = open({ hosts, names })
    const headers = {
      authorization: 'secret',
      cookie: 'secret',
      'x-api-key': 'secret',
      accept: 'text/plain',
      'content-type': 'text/x',
    }
    const post = (status: number, to: string) =>
      fetch(server.at('a.example', leading(status, to)), { method: 'POST', headers, body: 'b' })
    await post(307, server.at('b.example', '/'))
    await post(302, '/')
    await post(303, server.at('b.example', '/'))
    const [, elsewhere, , same, , anew] = server.seen
    expect(elsewhere).toMatchObject({
      method: 'POST',
      body: 'b',
      headers: { accept: 'text/plain', 'content-type': 'text/x' },
    })
    expect(JSON.stringify(elsewhere)).not.toContain('secret')
    expect(same).toMatchObject({
      method: 'GET',
      body: '',
      headers: { authorization: 'secret', cookie: 'secret', 'x-api-key': 'secret' },
    })
    expect(same?.headers).not.toHaveProperty('content-type')
    expect(anew).toMatchObject({ method: 'GET', body: '' })
    expect(JSON.stringify(anew)).not.toContain('secret')
  })

  test('is followed five times', async () => {
    const server = await openLocalServer((_request, response) =>
      response.writeHead(302, { location: '/again' }).end(),
    )
    const { failure } = open({ hosts, names })
    expect(await failure(server.at('a.example'))).toEqual(failed('too_many_redirects'))
    expect(server.seen).toHaveLength(6)
  })
})

describe('an answer', () => {
  const hosts = ['127.0.0.1']

  test.each([
    ['gzip', gzipSync('packed')],
    ['deflate', deflateSync('packed')],
    ['br', brotliCompressSync('packed')],
  ])('is unpacked: %s', async (coding, bytes) => {
    const server = await openLocalServer((_request, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(bytes),
    )
    const answer = await open({ hosts }).fetch(server.at('127.0.0.1'))
    expect(answer.body).toBe('packed')
    expect(answer.headers).not.toHaveProperty('content-encoding')
  })

  test('is read in its own characters', async () => {
    const server = await openLocalServer((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/plain; charset=ISO-8859-1' })
        .end(Buffer.from('caf\xe9', 'latin1')),
    )
    expect(await open({ hosts }).fetch(server.at('127.0.0.1'))).toMatchObject({ body: 'café' })
  })

  test('that is too large is not read to its end, packed or not', async () => {
    let written = 0
    const server = await openLocalServer(({ method, url }, response) => {
      if (method === 'HEAD') return void response.writeHead(200, { 'content-length': 5 * MEGABYTE }).end()
      if (url === '/told') return void response.writeHead(200, { 'content-length': 5 * MEGABYTE }).write('x')
      if (url === '/bomb') return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
      const more = () => {
        while (!response.destroyed && written < 500 * MEGABYTE && response.write(Buffer.alloc(65_536)))
          written += 65_536
      }
      response.on('drain', more)
      more()
    })
    const bomb = gzipSync(Buffer.alloc(50 * MEGABYTE))
    expect(bomb.length).toBeLessThan(MEGABYTE / 10)
    const { failure, fetch } = open({ hosts })
    for (const path of ['/told', '/bomb', '/endless'])
      expect(await failure(server.at('127.0.0.1', path))).toEqual(
        failed('answer_too_large', { limit: MEGABYTE }),
      )
    expect(written).toBeLessThan(100 * MEGABYTE)
    await vi.waitFor(async () => expect(await server.connections()).toBe(0), 20_000)
    expect(await fetch(server.at('127.0.0.1', '/told'), { method: 'HEAD' })).toMatchObject({
      status: 200,
      body: '',
    })
  })

  test('with headers that have no end, or in a packing that nobody knows, is told to be so', async () => {
    const server = await openLocalServer(({ url }, response) =>
      url === '/headers'
        ? response.writeHead(200, { 'x-long': 'x'.repeat(100_000) }).end()
        : response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end('x'),
    )
    const { failure } = open({ hosts })
    expect(await failure(server.at('127.0.0.1', '/headers'))).toEqual(failed('HPE_HEADER_OVERFLOW'))
    expect(await failure(server.at('127.0.0.1', '/packing'))).toEqual(failed('unknown_encoding'))
  })

  test.each(['/silent', '/slow'])('that takes too long is given up: %s', async (path) => {
    const server = await openLocalServer(({ url }, response) => {
      if (url === '/silent') return
      response.writeHead(200)
      const drip = setInterval(() => response.write('x'), 20)
      response.once('close', () => clearInterval(drip))
    })
    const { failure } = open({ hosts, timeoutMs: 300 })
    expect(await failure(server.at('127.0.0.1', path))).toEqual(failed('timed_out', { timeoutMs: 300 }))
    await vi.waitFor(async () => expect(await server.connections()).toBe(0), 20_000)
  })

  test('is nobody’s when the run has ended', async () => {
    const server = await openLocalServer(() => {})
    const run = new AbortController()
    const waiting = open({ hosts }).failure(server.at('127.0.0.1'), {}, run.signal)
    await vi.waitFor(() => expect(server.seen).toHaveLength(1), 20_000)
    run.abort(new Error('cancelled'))
    expect(await waiting).toMatchObject({ message: 'cancelled' })
    await vi.waitFor(async () => expect(await server.connections()).toBe(0), 20_000)
  })
})

test('too much to send is not sent', async () => {
  const server = await openLocalServer((_request, response) => response.end())
  const { failure, fetch } = open({ hosts: ['127.0.0.1'], maxBytes: 10 })
  expect(await failure(server.at('127.0.0.1'), { method: 'PUT', body: 'é'.repeat(6) })).toEqual(
    failed('request_too_large', { limit: 10 }),
  )
  expect(server.seen).toEqual([])
  expect(await fetch(server.at('127.0.0.1'), { method: 'PUT', body: 'é'.repeat(5) })).toMatchObject({
    status: 200,
  })
})

test('what only reads is tried once more when the way there fails, and nothing else is', async () => {
  let broken = 0
  const server = await openLocalServer(({ url }, response) => {
    if (url === '/once' && broken > 0) return void response.end('well')
    broken += 1
    response.destroy()
  })
  const { fetch, failure } = open({ hosts: ['127.0.0.1'] })
  expect(await fetch(server.at('127.0.0.1', '/once'))).toMatchObject({ body: 'well' })
  expect(await failure(server.at('127.0.0.1', '/always'))).toEqual(failed('ECONNRESET', { tries: 2 }))
  expect(server.seen).toHaveLength(4)
  expect(await failure(server.at('127.0.0.1', '/always'), { method: 'POST', body: 'x' })).toEqual(
    failed('ECONNRESET', { tries: 1 }),
  )
  expect(server.seen).toHaveLength(5)
  expect(await failure('http://nowhere.example/')).toEqual(violation())
  expect(await open({ hosts: ['nowhere.example'] }).failure('http://nowhere.example/')).toEqual(
    failed('ENOTFOUND', { tries: 1 }),
  )
})
