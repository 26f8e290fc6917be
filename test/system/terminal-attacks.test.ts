import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { SignJWT, decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readRecord } from '../../src/main/up/record.ts'
import { killChild } from '../support/kill-child.ts'
import { freshDatabase } from '../support/postgres.ts'
import { registerShell } from '../support/shell-agent.ts'
import type { ShellAgent } from '../support/shell-agent.ts'
import { call, startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'
import { Refused, askToken, connect, sitDown } from '../support/terminal.ts'

// Whoever comes to a terminal without the right to it, or means harm, through the running product.

const patience = { timeout: 20_000, interval: 50 }
let database: Awaited<ReturnType<typeof freshDatabase>>
let sql: pg.Client
let box: Signalbox
let shell: ShellAgent
let sessionId: string
let key: Buffer

beforeAll(async () => {
  database = await freshDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  box = await startSignalbox({
    env: {
      DATABASE_URL: database.url,
      SHELL: '/bin/sh',
      TERMINAL_MAX_PER_WINDOW: '3',
      TERMINAL_MAX_VIEWERS: '5',
    },
  })
  shell = await registerShell(box)
  sessionId = (await shell.run('echo hello from the log')).sessionId
  await askToken(box, { sessionId })
  key = (await sql.query("select secret from signing_keys where name = 'terminal'")).rows[0].secret
}, 60_000)
afterAll(async () => {
  await box?.stop()
  await sql?.end()
  await database?.drop()
})

/** How somebody with this token is refused. */
async function refusal(address: string, origin?: string): Promise<[number, string]> {
  const refused = await connect(address, origin === undefined ? {} : { origin }).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(refused instanceof Refused))
    throw new Error('It was let in, or something else went wrong', { cause: refused })
  return [refused.status, refused.code]
}

/** A token with the same claims but for these, signed by this key. */
async function forged(
  token: string,
  changes: object,
  { by = key, alg = 'HS256', typ = 'terminal+jwt' } = {},
) {
  return new SignJWT({ ...decodeJwt(token), jti: randomUuid(), ...changes })
    .setProtectedHeader({ alg, typ })
    .sign(by)
}
const randomUuid = () => {
  const hex = randomBytes(16).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}
const nowSec = () => Math.floor(Date.now() / 1000)

describe('a token', () => {
  it('opens once, also when many show it at the same moment, and after a restart', async () => {
    const { url, token } = await askToken(box, { sessionId })
    const address = `${url}?token=${token}`
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => connect(address)))
    const inside = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(inside).toHaveLength(1)
    expect(await refusal(address)).toEqual([410, 'terminal_token_used'])
    await killChild(box, 'terminal')
    await expect
      .poll(() => refusal(address).catch((error: Error) => error.message), patience)
      .toEqual([410, 'terminal_token_used'])
  })

  it('is refused when it is expired, tampered with, foreign, or none at all', async () => {
    const { url, token } = await askToken(box, { sessionId })
    const at = (given: string) => refusal(`${url}?token=${given}`)
    const { grant } = decodeJwt<{ grant: { machineId: string } }>(token)
    const [head = '', body = '', signature = ''] = token.split('.')
    const edited = Buffer.from(
      Buffer.from(body, 'base64url').toString().replace('"readOnly":false', '"readOnly":true '),
    ).toString('base64url')
    const none = Buffer.from('{"alg":"none","typ":"terminal+jwt"}').toString('base64url')
    const unauthenticated = [401, 'unauthenticated']

    expect(await at(await forged(token, { exp: nowSec() - 6 }))).toEqual(unauthenticated)
    expect(await at(await forged(token, { iat: nowSec() - 400, exp: nowSec() + 10_000 }))).toEqual(
      unauthenticated,
    )
    expect(await at(`${head}.${edited}.${signature}`)).toEqual(unauthenticated)
    expect(await at(`${none}.${body}.`)).toEqual(unauthenticated)
    expect(await at(await forged(token, {}, { by: randomBytes(32) }))).toEqual(unauthenticated)
    expect(await at(await forged(token, {}, { alg: 'HS512', by: Buffer.concat([key, key]) }))).toEqual(
      unauthenticated,
    )
    expect(await at(await forged(token, {}, { typ: 'JWT' }))).toEqual(unauthenticated)
    expect(await at(await forged(token, { iss: 'another' }))).toEqual(unauthenticated)
    expect(await at(await forged(token, { aud: randomUuid() }))).toEqual([403, 'forbidden'])
    expect(await at(await forged(token, { grant: { ...grant, machineId: randomUuid() } }))).toEqual(
      unauthenticated,
    )
    expect(await at(await forged(token, { grant: { ...grant, window: 'root' } }))).toEqual(unauthenticated)
    expect(await at(await forged(token, { grant: { ...grant, tokenId: randomUuid() } }))).toEqual(
      unauthenticated,
    )
    expect(await at(await forged(token, { grant: { ...grant, sessionId: randomUuid() } }))).toEqual([
      410,
      'terminal_gone',
    ])
    // Of other doors, and of nobody.
    const { ticket } = (await box.call('POST', '/auth/ticket')).body.data
    for (const other of [box.token, ticket, '', 'x'.repeat(8_000), `${token}&token=${token}`])
      expect(await at(other)).toEqual(unauthenticated)
    expect(await refusal(url)).toEqual(unauthenticated)
    // And it opens no other door.
    expect((await call(box.url, token, 'GET', '/tasks')).status).toBe(401)
    const person = await connect(`${url}?token=${token}`)
    await person.leave()
    expect(box.log()).not.toContain(token)
  })

  it('is for the page that asked for it alone, and for a name that is ours', async () => {
    const ours = { origin: box.url }
    const mine = await askToken(box, { sessionId }, ours)
    expect(await refusal(`${mine.url}?token=${mine.token}`, 'http://evil.example')).toEqual([
      403,
      'origin_not_allowed',
    ])
    expect(await refusal(`${mine.url}?token=${mine.token}`)).toEqual([403, 'origin_not_allowed'])
    const person = await connect(`${mine.url}?token=${mine.token}`, ours)
    await person.leave()
    const bare = await askToken(box, { sessionId })
    expect(await refusal(`${bare.url}?token=${bare.token}`, 'http://evil.example')).toEqual([
      403,
      'origin_not_allowed',
    ])
    expect(
      (await box.call('POST', '/terminal/token', { sessionId }, { origin: 'http://evil.example' })).status,
    ).toBe(403)
    const rebound = await rawUpgrade(`${bare.url}?token=${bare.token}`, 'evil.example:4101')
    expect(rebound).toMatch(/^HTTP\/1\.1 403 .*host_not_allowed/s)
  })

  it('is given to the owner alone, for what is there', async () => {
    const user = (await box.call('POST', '/users', { name: 'uma', scopes: ['terminal', 'run', 'admin'] }))
      .body.data
    const ask = async (body: object, token = box.token) => {
      const answer = await call(box.url, token, 'POST', '/terminal/token', body)
      return [answer.status, answer.body.error?.code]
    }
    expect(await ask({ sessionId }, user.token)).toEqual([403, 'forbidden'])
    expect(await ask({ sessionId }, 'nobody')).toEqual([401, 'unauthenticated'])
    expect(await ask({ sessionId: randomUuid() })).toEqual([404, 'session_not_found'])
    expect(await ask({ workspaceId: randomUuid(), window: 'shell' })).toEqual([404, 'workspace_not_found'])
    expect(await ask({})).toEqual([422, 'does_not_fit'])
    expect(await ask({ sessionId, workspaceId: randomUuid() })).toEqual([422, 'does_not_fit'])
    expect(await ask({ sessionId, window: 'root' })).toEqual([422, 'does_not_fit'])
    const workspaceId: string = (await box.call('GET', '/workspaces')).body.data[0].id
    expect(await ask({ workspaceId, window: 'agent' })).toEqual([422, 'does_not_fit'])
    // A shell is all that a workspace has, so it need not be named.
    const { token } = await askToken(box, { workspaceId })
    expect(decodeJwt(token)['grant']).toMatchObject({ workspaceId, window: 'shell' })
  })
})

describe('what is open', () => {
  it('is cut when the session goes to the trash, and its shell ends', async () => {
    const { sessionId: doomed, id } = await shell.run('true')
    await expect
      .poll(async () => (await box.call('GET', `/executions/${id}`)).body.data.status, patience)
      .toBe('succeeded')
    const reader = await sitDown(box, { sessionId: doomed })
    const typist = await sitDown(box, { sessionId: doomed, window: 'shell' })
    const unused = await askToken(box, { sessionId: doomed })
    expect((await box.call('DELETE', `/sessions/${doomed}`)).status).toBe(204)
    for (const person of [reader, typist]) {
      await person.closed
      expect(person.told.at(-1)).toMatchObject({ type: 'ended', canReturn: false })
    }
    expect(await refusal(`${unused.url}?token=${unused.token}`)).toEqual([410, 'terminal_gone'])
    expect((await box.call('POST', '/terminal/token', { sessionId: doomed })).body.error.code).toBe(
      'session_trashed',
    )
  })

  it('is cut when the token that it was opened with is worth nothing any more', async () => {
    const { sessionKey } = (await box.call('POST', '/auth/session', { token: box.token })).body.data
    const { body } = await call(box.url, sessionKey, 'POST', '/terminal/token', { sessionId })
    const unused = (await call(box.url, sessionKey, 'POST', '/terminal/token', { sessionId })).body.data
    const person = await connect(`${body.data.url}?token=${body.data.token}`)
    const other = await sitDown(box, { sessionId })
    expect((await call(box.url, sessionKey, 'DELETE', '/auth/session')).status).toBe(204)
    await person.closed
    expect(person.told.at(-1)).toMatchObject({ type: 'ended', canReturn: false })
    expect(await refusal(`${unused.url}?token=${unused.token}`)).toEqual([401, 'unauthenticated'])
    // Whoever came in with another one stays.
    expect(other.socket.readyState).toBe(other.socket.OPEN)
    await other.leave()

    // The owner's own, too.
    const last = await sitDown(box, { sessionId })
    const hash = createHash('sha256').update(box.token).digest()
    const { rows } = await sql.query('delete from tokens where hash = $1 returning *', [hash])
    expect(rows).toHaveLength(1)
    await sql.query("select pg_notify('revoked', 'owner')")
    await last.closed
    expect(last.told.at(-1)).toMatchObject({ type: 'ended', canReturn: false })
    await sql.query('insert into tokens (id, hash, kind, home_id) values ($1, $2, $3, $4)', [
      rows[0].id,
      hash,
      'owner',
      rows[0].home_id,
    ])
  })

  it('has a limit for each window and for all', async () => {
    const people = [
      await sitDown(box, { sessionId }),
      await sitDown(box, { sessionId }),
      await sitDown(box, { sessionId }),
    ]
    const fourth = await sitDown(box, { sessionId })
    expect(fourth.told).toMatchObject([
      { type: 'ended', reason: expect.stringContaining('3 look at this window'), canReturn: true },
    ])
    const others = [
      await sitDown(box, { sessionId, window: 'shell' }),
      await sitDown(box, { sessionId, window: 'shell' }),
    ]
    const sixth = await sitDown(box, { sessionId, window: 'shell' })
    expect(sixth.told).toMatchObject([
      { type: 'ended', reason: expect.stringContaining('5 terminals are open') },
    ])
    await Promise.all([...people, ...others].map((person) => person.leave()))
    const again = await sitDown(box, { sessionId })
    expect(again.told[0]).toMatchObject({ type: 'ready', viewers: 1 })
    await again.leave()
  })

  it('keeps no connection of the database once nobody is here, and serves whoever comes then', async () => {
    const listening = async () => {
      const { rows } = await sql.query(
        "select count(*)::int from pg_stat_activity where datname = current_database() and application_name = 'signalbox listen'",
      )
      return rows[0].count
    }
    const person = await sitDown(box, { sessionId })
    const before = await listening()
    await person.leave()
    await expect.poll(listening, patience).toBe(before - 1)
    // Whoever is refused leaves none behind either.
    const { url } = await askToken(box, { sessionId })
    expect(await refusal(`${url}?token=nobody`)).toEqual([401, 'unauthenticated'])
    await expect.poll(listening, patience).toBe(before - 1)
    const again = await sitDown(box, { sessionId })
    expect(again.told[0]).toMatchObject({ type: 'ready', viewers: 1 })
    await again.leave()
  })

  it.each([
    ['no JSON', '{'],
    ['another word', '{"type":"run","command":"rm"}'],
    ['a size that cannot be', '{"type":"resize","cols":1e9,"rows":-3}'],
    ['more drawn than was sent', '{"type":"ack","bytes":1000000000}'],
    ['a text that is too long', JSON.stringify({ type: 'repaint', more: 'x'.repeat(1024 * 1024) })],
  ])('ends with a reason for %s', async (_, said) => {
    const person = await sitDown(box, { sessionId })
    person.socket.send(said)
    await person.closed
    expect(person.told.at(-1)).toMatchObject({
      type: 'ended',
      reason: expect.stringMatching(/.{20}/),
      canReturn: true,
    })
  })
})

it('lets go of whoever is refused and stays, or leaves words behind that nobody reads', async () => {
  const { url } = await askToken(box, { sessionId })
  const { port } = new URL(url)
  const pid = readRecord(box.home)?.children.find(({ name }) => name === 'terminal')?.pid
  const descriptors = () => readdirSync(`/proc/${pid}/fd`).length
  expect(await refusal(`${url}?token=nobody`)).toEqual([401, 'unauthenticated'])
  const before = descriptors()
  const visitors = Array.from({ length: 60 }, (_, at) => {
    const visitor = connectTcp({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
    const path = ['/terminal?token=nobody', '/elsewhere'][at % 2]
    visitor.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nwords`,
    )
    visitor.on('error', () => undefined)
    return visitor.resume()
  })
  await Promise.all(visitors.map((visitor) => once(visitor, 'end')))
  await expect.poll(descriptors, patience).toBeLessThan(before + 20)
  for (const visitor of visitors) visitor.destroy()
})

it('waits for nobody who only begins to ask', { timeout: 40_000 }, async () => {
  const { url } = await askToken(box, { sessionId })
  const visitors = Array.from({ length: 20 }, () => {
    const visitor = connectTcp({ port: Number(new URL(url).port), host: '127.0.0.1' })
    visitor.write('GET /terminal?token=some HTTP/1.1\r\nHost: 127.0')
    visitor.on('error', () => undefined)
    return visitor.resume()
  })
  const began = performance.now()
  await Promise.all(visitors.map((visitor) => once(visitor, 'close')))
  expect(performance.now() - began).toBeLessThan(25_000)
})

/** Asks for a socket by another name, as a page does whose name was led here. */
function rawUpgrade(address: string, host: string): Promise<string> {
  const url = new URL(address)
  return new Promise((resolve, reject) => {
    const socket = connectTcp(Number(url.port), url.hostname, () =>
      socket.write(
        `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
      ),
    )
    let answer = ''
    socket.on('data', (piece) => (answer += piece.toString()))
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })
}
