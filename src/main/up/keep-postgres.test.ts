import { existsSync, rmSync, rmdirSync, symlinkSync } from 'node:fs'
import pg from 'pg'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { dataOf, endEverything, newHome, withoutNamespaces } from '#db/embedded/fixtures/holders.ts'
import { findPostmaster } from '#db/embedded/postmaster.ts'
import { prepareRuntimeFolder } from '#lib/runtime-folder.ts'
import { keepPostgres } from './keep-postgres.ts'

const log = pino({ level: 'silent' })
const never = new AbortController().signal
const inAHurry = AbortSignal.abort()

async function keep(home: string) {
  onTestFinished(endEverything)
  const postgres = await keepPostgres({ home, log, signal: never })
  onTestFinished(() => postgres.stop(inAHurry))
  return postgres
}

const killPostgres = (home: string) => process.kill(findPostmaster(dataOf(home))!.pid, 'SIGKILL')

async function isBack(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

describe('a kept Postgres', { timeout: 60_000 }, () => {
  it('comes back at its address, also when a better place for its socket is free by then', async () => {
    const home = newHome()
    const first = prepareRuntimeFolder(home)
    rmdirSync(first)
    symlinkSync(home, first)
    const { url } = await keep(home)
    expect(url).toContain(encodeURIComponent(`${first}-1`))
    rmSync(first)
    killPostgres(home)
    await expect.poll(() => isBack(url), { timeout: 30_000 }).toBe(true)
    expect(existsSync(first)).toBe(false)
  })

  it('comes back at its address when the folder of its socket was swept away', async () => {
    const home = newHome()
    const { url } = await keep(home)
    rmSync(prepareRuntimeFolder(home), { recursive: true })
    killPostgres(home)
    await expect.poll(() => isBack(url), { timeout: 30_000 }).toBe(true)
  })

  it.runIf(process.getuid?.() === 0)(
    'comes back at its address when the machine would choose another account by then',
    async () => {
      const home = newHome()
      const { PATH } = process.env
      onTestFinished(() => void (process.env['PATH'] = PATH))
      process.env['PATH'] = withoutNamespaces()['PATH']
      const { url } = await keep(home)
      process.env['PATH'] = PATH
      killPostgres(home)
      await expect.poll(() => isBack(url), { timeout: 30_000 }).toBe(true)
    },
  )
})
