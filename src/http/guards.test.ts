import { request as httpRequest } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { bareApp, serveApp } from '../../test/support/bare-app.ts'
import type { Served } from '../../test/support/bare-app.ts'
import { Problem } from '#domain/problem.ts'
import { guards } from './guards.ts'
import type { GuardSettings } from './guards.ts'
import { ownAddress } from './own-address.ts'

const loopback: GuardSettings = { host: '127.0.0.1', port: 4100, cors: { enabled: false, origins: [] } }
const cors = (...origins: string[]) => ({ ...loopback, cors: { enabled: true, origins } })

function app(settings: GuardSettings = loopback) {
  return bareApp()
    .use(guards({ settings: { current: () => settings } }))
    .get('/api/tasks', (c) => c.json({ cookie: c.req.header('cookie') ?? null }))
    .get(
      '/api/stream',
      () => new Response('data', { headers: { 'Cache-Control': 'no-cache, no-transform' } }),
    )
    .get('/api/broken', () => {
      throw new Problem('does_not_fit', 'no')
    })
    .post('/api/tasks', (c) => c.text('made', 201))
    .get('/board', (c) => c.html('<h1>Board</h1>'))
}

const ask = async (
  path: string,
  headers: Record<string, string> = {},
  settings?: GuardSettings,
  method = 'GET',
) => app(settings).request(path, { method, headers: { host: 'localhost:4100', ...headers } })

const codeOf = async (answer: Response): Promise<unknown> => {
  const body: unknown = answer.status === 403 ? await answer.json() : undefined
  return body
}
const refusedBecause = (code: string) => expect.objectContaining({ error: expect.objectContaining({ code }) })

const hosts = (host: string, port: number, publicUrl?: string) => [
  ...ownAddress({ host, port, ...(publicUrl && { publicUrl }) }).hosts,
]
const from = (mode: string) => ({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode })

const statusFor = (port: number, host: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    httpRequest({ port, host: '127.0.0.1', path: '/api/tasks', headers: { host } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })

describe('the name that we are called by', () => {
  it.each(['localhost:4100', '127.0.0.1:4100', '[::1]:4100', 'LOCALHOST:4100'])('may be %s', async (host) => {
    expect((await ask('/api/tasks', { host })).status).toBe(200)
  })

  it.each([
    'evil.example:4100',
    'localhost',
    'localhost:4101',
    '127.0.0.1.evil.example:4100',
    'localhost:4100.evil.example',
    'preview.localhost:4100',
    'localhost.:4100',
    '127.0.0.2:4100',
    'evil.example',
    '',
  ])('may not be %j', async (host) => {
    const answer = await ask('/board', { host })
    expect(answer.status).toBe(403)
    const refusal = await codeOf(answer)
    expect(refusal).toEqual(refusedBecause('host_not_allowed'))
    // Whoever rebinds a name can read this answer: it must not tell our real ones.
    expect(JSON.stringify(refusal)).not.toContain('127.0.0.1')
  })

  it('must be there', async () => {
    expect((await app().request('/board')).status).toBe(403)
  })

  it('may be the public one, and then no other of the network', async () => {
    const settings = { ...loopback, host: '0.0.0.0', publicUrl: 'https://Box.Example' }
    expect((await ask('/board', { host: 'box.example' }, settings)).status).toBe(200)
    expect((await ask('/board', { host: 'box.example:443' }, settings)).status).toBe(200)
    expect((await ask('/board', { host: 'box.example:4100' }, settings)).status).toBe(403)
    expect((await ask('/board', { host: '192.168.0.7:4100' }, settings)).status).toBe(403)
    expect(
      (await ask('/board', { 'x-forwarded-host': 'box.example', host: 'evil.example' }, settings)).status,
    ).toBe(403)
  })

  it('is what a browser writes, for every kind of address', () => {
    expect(hosts('192.168.0.7', 4100)).toEqual(['192.168.0.7:4100'])
    expect(hosts('Box.Local', 4100)).toEqual(['box.local:4100'])
    expect(hosts('::', 80)).toContain('[::1]')
    expect(hosts('fd00::1', 4100)).toEqual(['[fd00::1]:4100'])
    expect(hosts('10.0.0.1', 4100, 'http://box:8080/x')).toEqual(['10.0.0.1:4100', 'box:8080'])
  })
})

describe('the page that calls', () => {
  it.each(['http://localhost:4100', 'http://127.0.0.1:4100', 'http://[::1]:4100'])(
    'may be ours: %s',
    async (origin) => {
      expect((await ask('/api/tasks', { origin, 'sec-fetch-site': 'cross-site' })).status).toBe(200)
    },
  )

  it.each([
    'http://localhost:3000',
    'https://localhost:4100',
    'http://evil.example',
    'null',
    'http://localhost:4100.evil.example',
    '',
  ])('may not be of origin %j', async (origin) => {
    const answers = await Promise.all([
      ask('/api/tasks', { origin }),
      ask('/api/tasks', { origin }, loopback, 'POST'),
      ask('/board', { origin }),
    ])
    for (const answer of answers) expect(await codeOf(answer)).toEqual(refusedBecause('origin_not_allowed'))
  })

  it.each(['cross-site', 'same-site', 'something-new'])(
    'may not hide its origin when it is %s',
    async (site) => {
      const answer = await ask('/api/tasks', { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' })
      expect(await codeOf(answer)).toEqual(refusedBecause('origin_not_allowed'))
      const link = await ask('/api/tasks', { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' })
      expect(link.status).toBe(403)
    },
  )

  it.each(['same-origin', 'none'])('may be %s', async (site) => {
    expect((await ask('/api/tasks', { 'sec-fetch-site': site })).status).toBe(200)
  })

  it('may link to our pages, but not build them into itself', async () => {
    expect((await ask('/board', from('navigate'))).status).toBe(200)
    expect((await ask('/board', from('no-cors'))).status).toBe(403)
  })
})

describe('CORS', () => {
  const origin = 'https://app.example'
  const preflight = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  }

  it('answers a preflight of an allowed origin, without a token', async () => {
    const answer = await ask('/api/tasks', preflight, cors(origin), 'OPTIONS')
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(answer.headers.get('access-control-allow-headers')).toContain('Authorization')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    expect(answer.headers.get('vary')).toBe('Origin')
  })

  it.each([
    loopback,
    cors('https://other.example'),
    { ...cors(origin), cors: { enabled: false, origins: [origin] } },
  ])('refuses a preflight of any other origin (%#)', async (settings) => {
    const answer = await ask('/api/tasks', preflight, settings, 'OPTIONS')
    expect(answer.status).toBe(403)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('lets an allowed page read answers, errors and waiting times too', async () => {
    const answers = await Promise.all(
      ['/api/tasks', '/api/broken', '/api/stream'].map((path) => ask(path, { origin }, cors(origin))),
    )
    for (const answer of answers) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
      expect(answer.headers.get('access-control-expose-headers')).toBe(
        'X-Request-Id, Retry-After, Mcp-Session-Id',
      )
      expect(answer.headers.get('vary')).toBe('Origin')
    }
  })

  it('knows no word for every origin', async () => {
    for (const asking of [origin, 'null', '*.example']) {
      const answer = await ask('/api/tasks', { origin: asking }, cors('*'))
      expect(await codeOf(answer)).toEqual(refusedBecause('origin_not_allowed'))
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('follows the settings while it runs', async () => {
    let settings = loopback
    const live = bareApp()
      .use(guards({ settings: { current: () => settings } }))
      .get('/api/tasks', (c) => c.text('ok'))
    const asked = () => live.request('/api/tasks', { headers: { host: 'localhost:4100', origin } })
    expect((await asked()).status).toBe(403)
    settings = cors(origin)
    expect((await asked()).status).toBe(200)
  })
})

describe('what every answer tells the browser', () => {
  it('is strict for pages', async () => {
    const { headers } = await ask('/board')
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
        "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
    })
    expect(headers.get('strict-transport-security')).toBeNull()
    expect(headers.get('cache-control')).toBeNull()
  })

  it('lets pages, and nothing else, open sockets to the terminals that are there now', async () => {
    let places = [{ machineId: 'here', port: 4101, url: null }]
    const live = bareApp()
      .use(
        guards({
          settings: { current: () => loopback },
          terminals: { current: () => places },
          machineId: 'here',
        }),
      )
      .get('/board', (c) => c.html('<h1>Board</h1>'))
      .get('/api/tasks', (c) => c.json({}))
    const policy = async (path: string) =>
      (await live.request(path, { headers: { host: 'localhost:4100' } })).headers.get(
        'content-security-policy',
      )
    expect(await policy('/board')).toContain("; connect-src 'self' ws://localhost:4101;")
    expect(await policy('/api/tasks')).not.toContain('4101')
    places = []
    expect(await policy('/board')).toContain("; connect-src 'self';")
  })

  it.each(['/api/tasks', '/api/broken', '/api/nothing-here'])(
    'keeps %s out of caches and pages',
    async (path) => {
      const { headers } = await ask(path)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'.*sandbox$/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    },
  )

  it('is said of refusals too', async () => {
    const answer = await ask('/board', { host: 'evil.example' })
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.headers.get('content-type')).toContain('application/json')
  })

  it('leaves a stream its own Cache-Control', async () => {
    expect((await ask('/api/stream')).headers.get('cache-control')).toBe('no-cache, no-transform')
  })

  it('asks for https only where https is', async () => {
    const https = await ask('/board', {}, { ...loopback, publicUrl: 'https://box.example' })
    expect(https.headers.get('strict-transport-security')).toBe('max-age=31536000')
    const http = await ask('/board', {}, { ...loopback, publicUrl: 'http://box.example' })
    expect(http.headers.get('strict-transport-security')).toBeNull()
  })

  it('never sets a cookie', async () => {
    const answer = await ask('/api/tasks', { cookie: 'session=forged' })
    expect(answer.headers.getSetCookie()).toEqual([])
  })
})

describe('on a real socket', () => {
  let served: Served | undefined
  afterEach(async () => {
    await served?.close()
    served = undefined
  })

  it('knows the port that the system chose', async () => {
    served = await serveApp(app({ ...loopback, port: 0 }))
    expect(await statusFor(served.port, `localhost:${served.port}`)).toBe(200)
    expect(await statusFor(served.port, 'localhost:0')).toBe(403)
    expect(await statusFor(served.port, `rebound.example:${served.port}`)).toBe(403)
  })
})
