import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { isGoneWithin } from '#lib/process-end.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'
import { redactText } from '#lib/redact.ts'
import { prepareRuntimeFolder } from '#lib/runtime-folder.ts'
import {
  allowsNamespaces,
  dataOf,
  endEverything,
  hold,
  newHome,
  query,
  started,
  withoutNamespaces,
} from './fixtures/holders.ts'
import { readableCheckout } from './fixtures/readable-checkout.ts'
import { findPostmaster } from './postmaster.ts'
import { startPostgres } from './start.ts'

const isRoot = process.getuid?.() === 0

afterEach(endEverything)

const startHere = (home: string, log = pino({ level: 'silent' }), signal = new AbortController().signal) =>
  startPostgres({ home, runtimeFolder: prepareRuntimeFolder(home), log, signal })

describe('the embedded Postgres', { timeout: 60_000 }, () => {
  it('starts on a private socket, keeps the password to itself, and stops without a trace', async () => {
    const home = newHome()
    const { url, pid, attached, holder } = await started(home, {
      env: { PGPORT: '1', PGDATA: '/nowhere', LC_ALL: 'xx' },
    })
    expect(attached).toBe(false)
    expect(
      await query(url, "select lower('ÄÉ'), current_setting('server_encoding'), current_setting('fsync')"),
    ).toEqual(['äé', 'UTF8', 'on'])
    expect(await query(url, "select current_setting('listen_addresses')")).toEqual([''])

    const socketFolder = new URL(url.replace('@/', '@x/')).searchParams.get('host') ?? ''
    expect(statSync(socketFolder).mode & 0o777).toBe(0o700)
    expect(join(socketFolder, '.s.PGSQL.5432').length).toBeLessThan(104)
    const password = readFileSync(join(home, 'postgres/password'), 'utf8').trim()
    expect(statSync(join(home, 'postgres/password')).mode & 0o777).toBe(0o600)
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(password)
    expect(holder.heard()).not.toContain(password)
    await expect(query(url.replace(password, 'wrong'), 'select 1')).rejects.toThrow(
      'password authentication failed',
    )

    const identity = identify(pid)
    await holder.stop()
    expect(identity && (await isGoneWithin(identity, 0))).toBe(true)
  })

  it('outlives the process that started it, and is attached to by the next one', async () => {
    const home = newHome()
    const first = await started(home)
    await query(first.url, 'create table kept as select 42 as answer')
    process.kill(-(first.holder.child.pid ?? 0), 'SIGINT')
    await once(first.holder.child, 'exit')

    const second = await started(home)
    expect(second).toMatchObject({ attached: true, pid: first.pid, url: first.url })
    expect(await query(second.url, 'select answer from kept')).toEqual([42])

    await second.holder.stop()
    expect(findPostmaster(dataOf(home))).toBeUndefined()
    const third = await started(home)
    expect(third.attached).toBe(false)
    expect(await query(third.url, 'select answer from kept')).toEqual([42])
  })

  it('is one server, however many processes make and start it at once', async () => {
    const home = newHome()
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => started(home)))
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(1)
    expect(all.filter(({ attached }) => !attached)).toHaveLength(1)
    expect(readdirSync(home).toSorted()).toEqual(['logs', 'postgres'])
  })

  it('is one server, also when all find it stopped in the same millisecond', async () => {
    const home = newHome()
    await (await started(home)).holder.stop()
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => startHere(home)))
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(1)
    expect(all.filter(({ attached }) => !attached)).toHaveLength(1)
    const password = readFileSync(join(home, 'postgres/password'), 'utf8').trim()
    expect(redactText(`it is ${password}, they say`)).toBe('it is [redacted], they say')
    await Promise.all(all.map((postgres) => postgres.stop()))
    expect(findPostmaster(dataOf(home))).toBeUndefined()
  })

  it('is given up in the middle of a start, and leaves no server behind', async () => {
    const home = newHome()
    const giveUp = new AbortController()
    let server: ProcessIdentity | undefined
    const write = (line: string) => {
      const { msg, postmaster } = JSON.parse(line)
      if (msg !== 'waiting for Postgres') return
      server = identify(postmaster)
      giveUp.abort()
    }
    await expect(startHere(home, pino({ level: 'debug' }, { write }), giveUp.signal)).rejects.toThrow(
      'aborted',
    )
    expect(server && isAlive(server)).toBe(false)
  })

  it('tells when the server dies, and starts again although a busy process was orphaned', async () => {
    const home = newHome()
    const { url, pid, holder } = await started(home)
    const busy = query(url, 'select count(*) from generate_series(1, 1e11::bigint)').catch(() => 'cut')
    await expect
      .poll(() =>
        query(url, "select count(*) from pg_stat_activity where query like 'select count(*) from gen%'"),
      )
      .toEqual(['1'])

    process.kill(pid, 'SIGKILL')
    expect((await holder.next()).exited).toBe(true)
    const again = await started(home)
    expect(again.attached).toBe(false)
    expect(await busy).toBe('cut')
  })

  it('starts although the lock file names a pid that belongs to somebody else by now', async () => {
    const home = newHome()
    const { holder, pid } = await started(home)
    const lockFile = join(dataOf(home), 'postmaster.pid')
    const content = readFileSync(lockFile, 'utf8')
    await holder.stop()
    writeFileSync(lockFile, content.replace(String(pid), String(process.pid)), { mode: 0o600 })
    expect((await started(home)).attached).toBe(false)
  })

  it('makes the database anew when making it was cut short', async () => {
    const home = newHome()
    const holder = await hold(home)
    await expect
      .poll(() => readdirSync(home).some((name) => existsSync(join(home, name, 'data/base'))), {
        interval: 5,
        timeout: 10_000,
      })
      .toBe(true)
    process.kill(-(holder.child.pid ?? 0), 'SIGKILL')
    await once(holder.child, 'exit')
    expect(existsSync(join(home, 'postgres'))).toBe(false)

    const { url } = await started(home)
    expect(await query(url, 'select 1')).toEqual([1])
    expect(readdirSync(home).toSorted()).toEqual(['logs', 'postgres'])
  })

  it('refuses the data of another major version, and says what to do', async () => {
    const home = newHome()
    await (await started(home)).holder.stop()
    writeFileSync(join(dataOf(home), 'PG_VERSION'), '17\n')
    const { error } = await (await hold(home)).next()
    expect(error).toContain('made by Postgres 17')
    expect(error).toContain('DATABASE_URL')
  })

  it("says in Postgres's own words why it cannot start", async () => {
    const home = newHome()
    await (await started(home)).holder.stop()
    renameSync(join(dataOf(home), 'global/pg_control'), join(dataOf(home), 'global/gone'))
    const { error } = await (await hold(home)).next()
    expect(error).toMatch(/could not find the database system|could not open file "global\/pg_control"/)
  })

  it('never makes a new database over a damaged one', async () => {
    const home = newHome()
    await (await started(home)).holder.stop()
    rmSync(join(dataOf(home), 'PG_VERSION'))
    const { error } = await (await hold(home)).next()
    expect(error).toContain('is not a whole Postgres database')
    expect(existsSync(join(dataOf(home), 'base'))).toBe(true)
  })
})

describe.runIf(isRoot && process.platform === 'linux')('as root', { timeout: 60_000 }, () => {
  const kindHere = allowsNamespaces() ? 'namespace' : 'dedicated'

  it(`runs as this machine allows (${kindHere}), and the files stay its own`, async () => {
    const home = newHome()
    const { pid, holder } = await started(home)
    expect(holder.heard()).toContain(`"as":"${kindHere}"`)
    expect(readFileSync(`/proc/${pid}/uid_map`, 'utf8')).toMatch(
      kindHere === 'namespace' ? /^\s*[1-9]\d*\s+0\s+1\s*$/ : /^\s*0\s/,
    )
    expect(statSync(dataOf(home)).uid).toBe(statSync(`/proc/${pid}`).uid)
    expect(statSync(dataOf(home)).uid === 0).toBe(kindHere === 'namespace')
  })

  it('runs under a uid of its own where namespaces are refused, and the data stays in the home', async () => {
    const home = newHome()
    const env = withoutNamespaces()
    const { url, pid, holder } = await started(home, { env })
    expect(holder.heard()).toContain('"as":"dedicated"')
    const { uid } = statSync(dataOf(home))
    expect(uid).toBeGreaterThanOrEqual(61_000)
    expect(statSync(`/proc/${pid}`).uid).toBe(uid)
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/Groups:\s*\n/)
    expect(statSync(home).mode & 0o777).toBe(0o700)
    await query(url, 'create table kept as select 42 as answer')
    await holder.kill()

    const second = await started(home, { env })
    expect(second).toMatchObject({ attached: true, pid })
    process.kill(pid, 'SIGKILL')
    await second.holder.next()
    const third = await started(home, { env })
    expect(await query(third.url, 'select answer from kept')).toEqual([42])
    await third.holder.stop()

    const asAllowed = await started(home)
    expect(asAllowed.holder.heard()).toContain(`"as":"${kindHere}"`)
    expect(await query(asAllowed.url, 'select answer from kept')).toEqual([42])
    expect(statSync(dataOf(home)).uid).toBe(kindHere === 'namespace' ? 0 : uid)
  })

  it('says what to do where neither is allowed', async () => {
    const home = newHome()
    const before = ['setpriv', '--bounding-set', '-setuid,-setgid']
    const holder = await hold(home, { env: withoutNamespaces(), before })
    const { error } = await holder.next()
    expect(error).toContain('refuses to run as root')
    expect(error).toContain('DATABASE_URL')
  })

  it('can also be started by an ordinary user', async () => {
    const uid = 5
    const home = newHome(uid)
    const checkout = readableCheckout(uid)
    onTestFinished(checkout.remove)
    const { url, pid, holder } = await started(home, { uid, checkout })
    expect(holder.heard()).toContain('"as":"own"')
    expect(statSync(`/proc/${pid}`).uid).toBe(uid)
    expect(await query(url, 'select 1')).toEqual([1])
  })

  const nameless = 54_321
  const expected = allowsNamespaces(nameless) ? /^1$/ : /DATABASE_URL[^]*could not look up effective user ID/
  it('gives a user without a name one, or says that it needs one where it cannot', async () => {
    const home = newHome(nameless)
    const checkout = readableCheckout(nameless)
    onTestFinished(checkout.remove)
    const holder = await hold(home, { uid: nameless, checkout })
    const { error, url } = await holder.next()
    expect(error || String(await query(url, 'select 1'))).toMatch(expected)
  })
})
