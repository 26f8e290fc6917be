import { mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { pino } from 'pino'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '#config/config.ts'
import { signingKey } from '#db/signing-keys.ts'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { internalApi, serveInternally } from './internal-api.ts'

const machineId = newId()
let folder = ''
let socket = ''
let key: Buffer
let isStopping = false

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-internal-')))
  socket = join(folder, 'worker.sock')
  const { db } = await freshPool()
  key = await signingKey(db, 'internal')
  const env = { SIGNALBOX_HOME: join(folder, 'home'), PATH: '/usr/bin', ALLOWED_WORKING_DIRS: folder }
  const config = loadConfig({ env, cwd: folder })
  const log = pino({ level: 'silent' })
  const serving = await serveInternally(
    internalApi({
      db,
      machineId,
      config: () => config,
      log,
      isStopping: () => isStopping,
      toolCalls: () => {
        throw new Error('Cannot use a pool after calling end on the pool')
      },
    }),
    socket,
    '127.0.0.1:0',
  )
  onTestFinished(async () => {
    await serving.close()
    rmSync(folder, { recursive: true })
  })
})

interface Claims {
  audience?: string
  issuer?: string
  from?: number
  signedWith?: Buffer
}

const token = ({ audience = machineId, issuer = 'signalbox', from = 0, signedWith = key }: Claims = {}) =>
  new SignJWT()
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience(audience)
    .setIssuer(issuer)
    .setIssuedAt(Math.floor(Date.now() / 1000) + from)
    .setExpirationTime(Math.floor(Date.now() / 1000) + from + 30)
    .sign(signedWith)

function check(
  body: object,
  bearer?: string,
  path = '/check-agent',
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        socketPath: socket,
        path,
        method: 'POST',
        headers: bearer ? { authorization: `Bearer ${bearer}` } : {},
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
      },
    )
    asked.on('error', reject)
    asked.end(JSON.stringify(body))
  })
}

const asked = () => ({ adapter: 'template', binaryPath: '/usr/bin/env', workingDir: folder })

describe('the internal API', () => {
  test('says what the machine allows', async () => {
    expect(await check(asked(), await token())).toEqual({
      status: 200,
      body: { data: { binaryPath: '/usr/bin/env', workingDir: folder } },
    })
    const refused = await check({ ...asked(), workingDir: '/etc' }, await token())
    expect(refused.body).toMatchObject({ error: { code: 'working_dir_not_allowed' } })
  })

  test('lets in nobody without a fresh token for this machine, and no other user of it', async () => {
    const strangers = [
      undefined,
      await token({ audience: newId() }),
      await token({ issuer: 'somebody' }),
      await token({ from: -120 }),
      await token({ signedWith: Buffer.alloc(32, 1) }),
    ]
    for (const stranger of strangers) expect((await check(asked(), stranger)).status).toBe(401)
    expect(statSync(socket).mode & 0o077).toBe(0)
  })
})

test('what fails while the worker stops is told as that, and what fails otherwise as a bug', async () => {
  isStopping = false
  expect(await check({}, await token(), '/tool')).toMatchObject({
    status: 500,
    body: { error: { code: 'internal' } },
  })
  isStopping = true
  expect(await check({}, await token(), '/tool')).toMatchObject({
    status: 503,
    body: {
      error: { code: 'machine_unavailable', message: expect.stringContaining('The worker is stopping') },
    },
  })
})
