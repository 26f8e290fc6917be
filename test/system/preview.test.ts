import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, writeFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { call, startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

const patience = { timeout: 20_000, interval: 50 }
let box: Signalbox
let appPort: number
let workspaceId: string

beforeAll(async () => {
  box = await startSignalbox()
  appPort = await freePort()
  copyFileSync(join(import.meta.dirname, '../support/preview-app.cjs'), join(box.work, 'app.cjs'))
  const made = await box.call('POST', '/workspaces', {
    driver: 'folder',
    root: box.work,
    worktrees: false,
    app: { command: `exec ${process.execPath} app.cjs`, port: appPort },
  })
  workspaceId = made.body.data.id
}, 60_000)
afterAll(async () => {
  await box.stop()
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

interface Asked {
  method?: string
  headers?: Record<string, string | string[]>
  body?: Readable | string
  host?: string
}

const webPort = () => Number(new URL(box.url).port)
const hostOf = (port?: number) => `${workspaceId}${port ? `--${port}` : ''}.localhost:${webPort()}`

/** As a browser asks, which finds every name that ends in .localhost on its own machine. */
function ask(path: string, { method = 'GET', headers = {}, body, host = hostOf() }: Asked = {}) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const options = {
      port: webPort(),
      host: '127.0.0.1',
      path,
      method,
      headers: { host, ...headers },
      agent: false,
    }
    const asked = plainRequest(options, resolve).on('error', reject)
    if (body instanceof Readable) body.pipe(asked)
    else asked.end(body)
  })
}

async function answerTo(path: string, asked?: Asked) {
  const answer = await ask(path, asked)
  const { statusCode: status, headers } = answer
  return { status, headers, text: await text(answer) }
}

async function openPreview(body: object = {}, token = box.token): Promise<URL> {
  const answer = await call(box.url, token, 'POST', `/workspaces/${workspaceId}/preview`, body)
  expect(answer).toMatchObject({ status: 201 })
  return new URL(answer.body.data.url)
}

/** What a browser sends once it has been there: the cookie. */
async function opened(token?: string): Promise<{ cookie: string }> {
  const url = await openPreview({}, token)
  const traded = await answerTo(url.pathname + url.search)
  expect(traded.status).toBe(303)
  return { cookie: cookieIn(traded.headers) }
}

const cookieIn = (headers: IncomingHttpHeaders) => headers['set-cookie']?.[0]?.split(';')[0] ?? ''

test('the address opens once, in one browser, and leads to the app without the ticket', async () => {
  const url = await openPreview()
  expect(url.host).toBe(hostOf())
  const ticket = url.searchParams.get('signalbox_ticket') ?? ''
  const traded = await answerTo(`/some/page?a=1&signalbox_ticket=${ticket}&b=%20`)
  expect(traded).toMatchObject({ status: 303, headers: { location: '/some/page?a=1&b=%20' } })
  const [cookie = ''] = traded.headers['set-cookie'] ?? []
  expect(cookie).toMatch(/^signalbox_preview=sbview_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Expires=/)
  expect(cookie).not.toMatch(/domain/i)
  const page = await answerTo('/', { headers: { cookie: cookieIn(traded.headers) } })
  expect(page).toMatchObject({ status: 200, text: '<h1>The app</h1>' })
  const again = await answerTo(`/?signalbox_ticket=${ticket}`)
  expect(again.status).toBe(401)
  expect(again.headers['set-cookie']).toBeUndefined()
  expect(box.log()).not.toContain(ticket)
})

test('of many who try a ticket at once, one gets in', async () => {
  const { search } = await openPreview()
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => answerTo(`/${search}`)))
  expect(outcomes.filter(({ status }) => status === 303)).toHaveLength(1)
})

test('without a key there is a page that says how to open it, whatever is asked', async () => {
  for (const headers of [
    {},
    { cookie: 'signalbox_preview=guessed' },
    { authorization: `Bearer ${box.token}` },
  ]) {
    const answer = await answerTo('/api/v1/tasks', { headers })
    expect(answer.status).toBe(401)
    expect(answer.text).toContain('choose Preview')
  }
})

test('a key of one workspace opens no other, nor another port of the same', async () => {
  const headers = await opened()
  const other = `00000000-0000-7000-8000-000000000000.localhost:${webPort()}`
  for (const host of [other, hostOf(appPort), hostOf(1)])
    expect((await answerTo('/', { headers, host })).status).toBe(401)
  const { search } = await openPreview()
  expect((await answerTo(`/${search}`, { host: other })).status).toBe(401)
  expect((await answerTo(`/${search}`)).status).toBe(303) // it was not used up there
})

test('the preview never reaches Signalbox, and Signalbox answers under no such name', async () => {
  const headers = await opened()
  const answer = await answerTo('/api/health', { headers })
  expect(answer).toMatchObject({ status: 404, text: 'the app has nothing at /api/health' })
  expect(answer.headers).not.toHaveProperty('x-request-id')
  expect(answer.headers).not.toHaveProperty('content-security-policy')
  for (const host of [
    `x.${hostOf()}`,
    `${workspaceId}.localhost:1`,
    `${workspaceId}x.localhost:${webPort()}`,
  ])
    expect((await answerTo('/api/health', { headers, host })).status).toBe(403)
  expect((await answerTo('http://localhost/api/health', { headers })).status).toBe(400)
})

test('pages of the app cannot call Signalbox', async () => {
  const own = { host: `localhost:${webPort()}` }
  const authorization = `Bearer ${box.token}`
  for (const headers of [
    { origin: `http://${hostOf()}` },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
  ]) {
    const answer = await answerTo('/api/v1/tasks', { ...own, headers: { ...headers, authorization } })
    expect(answer.status).toBe(403)
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  }
  const { cookie } = await opened()
  expect((await answerTo('/api/v1/tasks', { ...own, headers: { cookie } })).status).toBe(401)
})

test('the app hears what the browser said, and nothing of ours', async () => {
  const { cookie } = await opened()
  const seen = async (headers: Record<string, string | string[]>) =>
    JSON.parse((await answerTo('/seen?q=%2F..%2f', { headers: { cookie, ...headers } })).text)
  const plain = await seen({ 'x-mine': 'yes', connection: 'close, x-hop', 'x-hop': 'no', te: 'trailers' })
  expect(plain).toMatchObject({ url: '/seen?q=%2F..%2f', headers: { host: hostOf(), 'x-mine': 'yes' } })
  for (const name of ['cookie', 'x-hop', 'te']) expect(plain.headers).not.toHaveProperty(name)
  expect(plain.headers.connection).not.toContain('x-hop')
  const others = await seen({
    cookie: `a=1; ${cookie};b=2; signalbox_preview_not=3`,
    authorization: 'Bearer theirs',
  })
  expect(others.headers).toMatchObject({
    cookie: 'a=1; b=2; signalbox_preview_not=3',
    authorization: 'Bearer theirs',
  })
  const { sessionKey } = (await box.call('POST', '/auth/session', {})).body.data
  for (const token of [box.token, sessionKey])
    expect((await seen({ authorization: `bearer ${token}` })).headers).not.toHaveProperty('authorization')
})

test('cookies of the app are its own alone', async () => {
  const { headers } = await answerTo('/cookies', { headers: await opened() })
  expect(headers['set-cookie']).toEqual(['mine=1; Path=/; HttpOnly', 'plain=2'])
})

test('bodies of any size go both ways, and HEAD has none', async () => {
  const headers = await opened()
  const sent = randomBytes(24 * 1024 * 1024)
  const sha256 = createHash('sha256').update(sent).digest('hex')
  const pieces = Array.from({ length: 24 }, (_, at) =>
    sent.subarray(at * 1024 * 1024, (at + 1) * 1024 * 1024),
  )
  const chunked = await answerTo('/count', { method: 'POST', headers, body: Readable.from(pieces) })
  expect(JSON.parse(chunked.text)).toEqual({ bytes: sent.length, sha256 })
  const sized = { ...headers, 'content-length': String(sent.length) }
  const whole = await answerTo('/count', { method: 'PUT', headers: sized, body: Readable.from(pieces) })
  expect(JSON.parse(whole.text)).toEqual({ bytes: sent.length, sha256 })
  expect((await answerTo('/big', { headers })).text).toHaveLength(32 * 1024 * 1024)
  const head = await answerTo('/big', { method: 'HEAD', headers })
  expect(head).toMatchObject({
    status: 200,
    text: '',
    headers: { 'content-length': String(32 * 1024 * 1024) },
  })
})

test('an app may say before the body comes whether it wants it', async () => {
  const { cookie } = await opened()
  const expecting = (more: Record<string, string>) =>
    new Promise<{ continued: boolean; status?: number | undefined }>((resolve, reject) => {
      let continued = false
      const headers = { host: hostOf(), cookie, expect: '100-continue', 'content-length': '5', ...more }
      const options = {
        port: webPort(),
        host: '127.0.0.1',
        path: '/count',
        method: 'POST',
        headers,
        agent: false,
      }
      const asked = plainRequest(options, (answer) => {
        answer.resume()
        resolve({ continued, status: answer.statusCode })
        asked.destroy()
      }).on('error', reject)
      asked.on('continue', () => {
        continued = true
        asked.end('hello')
      })
      asked.flushHeaders()
    })
  expect(await expecting({})).toEqual({ continued: true, status: 200 })
  expect(await expecting({ 'x-refuse': '1' })).toEqual({ continued: false, status: 417 })
})

test('events arrive as they are said', async () => {
  const headers = await opened()
  const answer = await ask('/events', { headers })
  const pieces = answer.setEncoding('utf8')[Symbol.asyncIterator]()
  expect((await pieces.next()).value).toBe('data: first\n\n')
  await answerTo('/next-event', { headers })
  expect((await pieces.next()).value).toBe('data: second\n\n')
})

/** A socket as a browser opens it. */
function openSocket(headers: Record<string, string>, path = '/socket') {
  const key = randomBytes(16).toString('base64')
  return new Promise<{
    status: number
    send?: (words: string) => Promise<string>
    end?: () => Promise<unknown>
  }>((resolve, reject) => {
    const asked = plainRequest({
      port: webPort(),
      host: '127.0.0.1',
      path,
      agent: false,
      headers: {
        host: hostOf(),
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': key,
        ...headers,
      },
    })
    asked.once('error', reject)
    asked.once('response', (answer) => {
      answer.resume()
      resolve({ status: answer.statusCode ?? 0 })
    })
    asked.once('upgrade', (answer, socket) => {
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
      expect(answer.headers['sec-websocket-accept']).toBe(accept)
      const closed = new Promise((done) => socket.once('close', done))
      resolve({
        status: 101,
        send(words) {
          const bytes = Buffer.from(words)
          socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]))
          return new Promise((heard) => socket.once('data', (frame) => heard(frame.subarray(2).toString())))
        },
        end() {
          socket.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]))
          return closed
        },
      })
    })
    asked.end()
  })
}

test('sockets go both ways, for pages of the app alone', async () => {
  const headers = await opened()
  const socket = await openSocket({ ...headers, origin: `http://${hostOf()}` })
  expect(socket.status).toBe(101)
  expect(await socket.send?.('hello')).toBe('hello')
  expect(await socket.send?.('and again')).toBe('and again')
  await socket.end?.()
  expect((await openSocket({})).status).toBe(401)
  expect((await openSocket({ ...headers, origin: box.url })).status).toBe(403)
  expect((await openSocket({ ...headers, origin: `http://${workspaceId}.localhost:1` })).status).toBe(403)
  expect((await openSocket(headers, '/elsewhere')).status).toBe(400)
})

test('an answer that breaks off is seen to', async () => {
  const headers = await opened()
  await expect(answerTo('/break-off', { headers })).rejects.toThrow('aborted')
  const silent = await answerTo('/silent', { headers })
  expect(silent.status).toBe(502)
  expect(silent.text).toContain('broke off')
})

test('an app that died is started again, and its last words are for the owner', async () => {
  const headers = await opened()
  const user = (await box.call('POST', '/users', { name: 'guest', scopes: ['run'] })).body.data
  expect((await call(box.url, user.token, 'POST', `/workspaces/${workspaceId}/preview`, {})).status).toBe(404)
  await answerTo('/die', { headers }).catch(() => undefined)
  await vi.waitFor(async () => expect((await answerTo('/', { headers })).status).toBe(200), patience)

  writeFileSync(join(box.work, 'app.cjs'), 'console.log("<i>cannot</i> go on"); process.exit(1)')
  await answerTo('/die', { headers }).catch(() => undefined)
  await vi.waitFor(async () => {
    const page = await answerTo('/', { headers })
    expect(page.status).toBe(502)
    expect(page.text).toContain('&lt;i&gt;cannot&lt;/i&gt; go on')
    expect(page.text).not.toContain('<i>')
  }, patience)
  copyFileSync(join(import.meta.dirname, '../support/preview-app.cjs'), join(box.work, 'app.cjs'))
  await vi.waitFor(async () => expect((await answerTo('/', { headers })).status).toBe(200), {
    timeout: 50_000,
    interval: 200,
  })
}, 120_000)

test('another port of the workspace has a name of its own; a port that is not its own has none', async () => {
  const port = await freePort()
  const refused = await box.call('POST', `/workspaces/${workspaceId}/preview`, { port })
  expect(refused.status).toBe(422)
  expect((await box.call('PATCH', `/workspaces/${workspaceId}`, { ports: [port] })).status).toBe(200)
  const url = await openPreview({ port })
  expect(url.host).toBe(hostOf(port))
  const traded = await answerTo(url.pathname + url.search, { host: hostOf(port) })
  const headers = { cookie: cookieIn(traded.headers) }
  const silent = await answerTo('/', { headers, host: hostOf(port) })
  expect(silent.status).toBe(502)
  expect(silent.text).toContain(`Nothing listens on port ${port}`)
  const other = createServer((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nother')),
  )
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
  expect((await answerTo('/', { headers, host: hostOf(port) })).text).toBe('other')
  await new Promise((resolve) => other.close(resolve))
  expect((await box.call('PATCH', `/workspaces/${workspaceId}`, { ports: [] })).status).toBe(200)
  expect((await answerTo('/', { headers, host: hostOf(port) })).status).toBe(404)
})

test('a preview is closed when what it was opened with is', async () => {
  const login = await call(box.url, box.token, 'POST', '/auth/session', {})
  const { sessionKey } = login.body.data
  const headers = await opened(sessionKey)
  expect((await answerTo('/', { headers })).status).toBe(200)
  expect((await call(box.url, sessionKey, 'DELETE', '/auth/session')).status).toBe(204)
  expect((await answerTo('/', { headers })).status).toBe(401)
})
