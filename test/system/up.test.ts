import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { databaseUrl } from '#db/embedded/connect.ts'
import { findPostmaster } from '#db/embedded/postmaster.ts'
import { endProcess, isGoneWithin } from '#lib/process-end.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import { prepareRuntimeFolder } from '#lib/runtime-folder.ts'
import { readRecord } from '../../src/main/up/record.ts'
import { freshDatabase } from '../support/postgres.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

const program = join(import.meta.dirname, '../../src/main/signalbox.ts')
const homes: string[] = []

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
  homes.push(home)
  return home
}

const environment = (home: string) => ({
  PATH: process.env['PATH'],
  SIGNALBOX_HOME: home,
  PORT: '0',
  TERMINAL_PORT: '0',
  LOG_LEVEL: 'warn',
})

/** `up` that is expected to end by itself. */
function runUp(home: string, more: Record<string, string> = {}) {
  const env = { ...environment(home), ...more }
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [program, 'up'], { env, cwd: home }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    )
  })
}

const webOf = (home: string) => readRecord(home)!.children.find(({ name }) => name === 'web')!
const postgresOf = (home: string) => findPostmaster(join(home, 'postgres/data'))

function statusOf(pid: number, field: string): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return new RegExp(`^${field}:\\s*(\\w+)`, 'm').exec(status)?.[1] ?? ''
}

/** Resolves once it really stands still: until then it would hear a signal that was sent later. */
async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  await expect.poll(() => statusOf(pid, 'State'), { interval: 5, timeout: 10_000 }).toBe('T')
}

/** Whether a SIGTERM waits for a process that is frozen. */
function isAskedToStop(pid: number): boolean {
  const mask = statusOf(pid, 'ShdPnd')
  return (Number.parseInt(mask, 16) & (1 << (constants.signals.SIGTERM - 1))) !== 0
}

async function isHealthy(box: Signalbox): Promise<boolean> {
  const answer = await fetch(`${box.url}/api/health`).catch(() => undefined)
  return answer?.status === 200
}

async function kill(box: Signalbox): Promise<void> {
  box.process.kill('SIGKILL')
  await once(box.process, 'exit')
}

/** Also when a test failed halfway. */
afterAll(async () => {
  for (const home of homes) {
    const record = readRecord(home)
    for (const left of record ? [record, ...record.children] : [])
      await endProcess(left, [{ signal: 'SIGKILL', patienceMs: 5_000 }])
    const postgres = existsSync(join(home, 'postgres')) ? postgresOf(home) : undefined
    if (postgres) await endProcess(postgres, [{ signal: 'SIGQUIT', patienceMs: 5_000 }])
    rmSync(prepareRuntimeFolder(home), { recursive: true })
    rmSync(home, { recursive: true })
  }
})

describe('a running Signalbox', () => {
  const home = newHome()
  let box: Signalbox
  beforeAll(async () => {
    box = await startSignalbox({ home, env: { LOG_LEVEL: 'warn' } })
  })
  afterAll(async () => {
    await box.stop()
  })

  test('is one per home: others say where it runs', async () => {
    const others = await Promise.all([1, 2, 3, 4].map(() => runUp(home)))
    const refusal = `Signalbox already runs at ${box.url} (pid ${box.process.pid})\n`
    expect(others.map(({ stderr }) => stderr)).toEqual(Array(4).fill(refusal))
    expect(others.map(({ code }) => code)).toEqual(Array(4).fill(75))
    expect(await isHealthy(box)).toBe(true)
  })

  // Before anything is killed: a connection that comes back has web read them too.
  test('passes SIGHUP on: web reads the settings again', async () => {
    const password = readFileSync(join(home, 'postgres/password'), 'utf8').trim()
    const client = new pg.Client({ connectionString: databaseUrl(postgresOf(home)!.socketFolder!, password) })
    await client.connect()
    await client.query(`insert into settings (key, value, updated_by) values ('logLevel', '"debug"', 'test')`)
    await client.end()
    await isHealthy(box)
    expect(box.log()).not.toContain('/api/health')
    box.process.kill('SIGHUP')
    const isLogged = async () => (await isHealthy(box)) && box.log().includes('/api/health')
    await expect.poll(isLogged, { timeout: 10_000 }).toBe(true)
  })

  test('brings back a killed web at the same address', async () => {
    for (let time = 1; time <= 2; time++) {
      const web = webOf(home)
      process.kill(web.pid, 'SIGKILL')
      await isGoneWithin(web, 5_000)
      await expect.poll(() => isHealthy(box), { interval: 20, timeout: 10_000 }).toBe(true)
    }
  })

  test('brings back a killed Postgres while web stays, and everything written is there', async () => {
    const web = webOf(home)
    await box.call('POST', '/tasks', { title: 'before' })
    const postgres = postgresOf(home)!
    process.kill(postgres.pid, 'SIGKILL')
    await isGoneWithin(postgres, 5_000)
    const write = async () => (await box.call('POST', '/tasks', { title: 'after' })).status
    await expect.poll(write, { interval: 20, timeout: 10_000 }).toBe(201)
    const { body } = await box.call('GET', '/tasks')
    expect(body.data.map((task: { title: string }) => task.title)).toEqual(['before', 'after'])
    expect(isAlive(web)).toBe(true)
    expect(postgresOf(home)!.pid).not.toBe(postgres.pid)
  })
})

describe('signalbox up', () => {
  test('says one line, serves, and leaves no process behind', async () => {
    const home = newHome()
    const child = spawn(process.execPath, [program, 'up'], {
      env: environment(home),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    await expect.poll(() => said, { timeout: 20_000 }).toContain('\n')
    const token = readFileSync(join(home, 'token'), 'utf8').trim()
    const { url } = readRecord(home)!
    const web = webOf(home)
    const postgres = postgresOf(home)!

    const asked = Date.now()
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    expect(Date.now() - asked).toBeLessThan(10_000)
    expect(said).toBe(`Signalbox ready at ${url}/#token=${token}\n`)
    expect([isAlive(web), isAlive(postgres)]).toEqual([false, false])
    expect(existsSync(join(home, 'up.json'))).toBe(false)
  })

  test('killed, leaves Postgres to the next one, which also ends a web that froze', async () => {
    const home = newHome()
    const first = await startSignalbox({ home })
    await first.call('POST', '/tasks', { title: 'kept' })
    const firstWeb = webOf(home)
    const postgres = postgresOf(home)!
    await kill(first)
    expect(await isGoneWithin(firstWeb, 6_000)).toBe(true)

    const second = await startSignalbox({ home })
    expect(postgresOf(home)).toEqual(postgres)
    expect((await second.call('GET', '/tasks')).body.data).toMatchObject([{ title: 'kept' }])
    const frozen = webOf(home)
    await freeze(frozen.pid)
    await kill(second)
    expect(isAlive(frozen)).toBe(true)

    const third = await startSignalbox({ home, env: { PORT: new URL(second.url).port } })
    expect(isAlive(frozen)).toBe(false)
    expect(third.url).toBe(second.url)
    expect(await third.stop()).toBe(0)
    expect(isAlive(postgres)).toBe(false)
    expect(readdirSync(home).filter((name) => /new-|\.[0-9a-f-]{36}$/.test(name))).toEqual([])
  })

  test('is hastened by a second Ctrl-C, and not by the first one heard twice', async () => {
    const home = newHome()
    const box = await startSignalbox({ home })
    const web = webOf(home)
    await freeze(web.pid)
    const exited = once(box.process, 'exit')
    box.process.kill('SIGINT')
    box.process.kill('SIGTERM') // as npm passes on what the terminal has sent; two of one kind could arrive as one
    await expect.poll(() => isAskedToStop(web.pid), { interval: 5, timeout: 10_000 }).toBe(true)
    expect(await isGoneWithin(web, 1_000)).toBe(false)
    box.process.kill('SIGINT')
    expect(await isGoneWithin(web, 3_500)).toBe(true) // frozen, it would be left in peace for 5 s from the first one
    expect((await exited)[0]).toBe(0)
    expect(postgresOf(home)).toBeUndefined()
    const itsWords = readFileSync(join(home, 'logs/postgres.log'), 'utf8')
    expect(itsWords).toContain('received immediate shutdown request')
  })

  test('stops in the middle of starting', async () => {
    const home = newHome()
    const child = spawn(process.execPath, [program, 'up'], { env: environment(home), stdio: 'ignore' })
    const lockFile = join(home, 'postgres/data/postmaster.pid')
    // It is there before anything is in it.
    const itsPid = () => (existsSync(lockFile) ? parseInt(readFileSync(lockFile, 'utf8'), 10) : Number.NaN)
    await expect.poll(itsPid, { interval: 5, timeout: 20_000 }).toBeGreaterThan(0)
    const postgres = identify(itsPid())
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).toBe(0)
    expect(postgres && isAlive(postgres)).toBe(false)
  })

  test('uses the Postgres of DATABASE_URL alone', async () => {
    const home = newHome()
    const database = await freshDatabase('template0')
    const box = await startSignalbox({ home, env: { DATABASE_URL: database.url } })
    expect(existsSync(join(home, 'postgres'))).toBe(false)
    expect(await isHealthy(box)).toBe(true)
    expect(await box.stop()).toBe(0)
    await database.drop()
  })

  test('ends with a plain word when DATABASE_URL is refused, without its password', async () => {
    const url = inject('postgresUrl').replace(/:[^:@/]+@/, ':hunter2@')
    const { code, stdout, stderr } = await runUp(newHome(), { DATABASE_URL: url })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('password authentication failed')
    expect(stderr).not.toContain('hunter2')
  })

  test('ends when its port is taken, and leaves nothing running', async () => {
    const home = newHome()
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const { code, stdout, stderr } = await runUp(home, { PORT: String(port) })
    server.close()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`another program already listens on 127.0.0.1:${port}`)
    expect(postgresOf(home)).toBeUndefined()
  })

  test('refuses a home that others can write in, and writes nothing where they lead it', async () => {
    const home = newHome()
    const elsewhere = newHome()
    symlinkSync(elsewhere, join(home, 'logs'))
    chmodSync(home, 0o777)
    const { code, stdout, stderr } = await runUp(home)
    expect([code, stdout]).toEqual([78, ''])
    expect(stderr).toBe(`Others can write in the home ${home}. Take that from them: chmod 700 ${home}\n`)
    expect(readdirSync(elsewhere)).toEqual([])
    expect(readdirSync(home)).toEqual(['logs'])
  })

  test('refuses a token that is empty', async () => {
    const home = newHome()
    writeFileSync(join(home, 'token'), '\n')
    const { code, stdout, stderr } = await runUp(home)
    expect([code, stdout]).toEqual([78, ''])
    expect(stderr).toBe(`${join(home, 'token')} is empty. Remove it, and a new one is made.\n`)
    expect(existsSync(join(home, 'postgres'))).toBe(false)
  })

  test('refuses a configuration that is wrong', async () => {
    const home = newHome()
    writeFileSync(join(home, 'signalbox.config.yaml'), 'server:\n  prot: 1\n')
    expect(await runUp(home)).toMatchObject({ code: 78, stdout: '' })
  })
})
