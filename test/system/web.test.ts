import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'

const script = join(import.meta.dirname, '../../src/main/web.ts')

async function startWeb(env: Record<string, string>, stdio: 'ipc' | 'ignore') {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-home-'))
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env['PATH'], HOME: home, SIGNALBOX_HOME: home, PORT: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe', stdio],
  })
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await rm(home, { recursive: true, force: true })
  })
  return {
    home,
    child,
    said: () => said,
    exited: once(child, 'exit').then(([code]: (number | null)[]) => code),
  }
}

test('a web whose supervisor died while it waited for the database ends by itself', async () => {
  const web = await startWeb({ DATABASE_URL: 'postgres://nobody@localhost/none?host=/nowhere' }, 'ipc')
  await expect.poll(web.said, { timeout: 10_000 }).toContain('waiting for it')
  web.child.disconnect()
  expect(await web.exited).toBe(0)
})

test('a lone web that cannot use its database says why, in one line and without the password', async () => {
  const url = inject('postgresUrl').replace(/:[^:@]+@/, ':wrong-secret@')
  const web = await startWeb({ DATABASE_URL: url }, 'ignore')
  expect(await web.exited).toBe(1)
  expect(web.said()).toMatch(/^The Postgres of DATABASE_URL .* cannot be used: .*\n$/)
  expect(web.said()).not.toContain('wrong-secret')
})

test('a home that others can write is refused before anything is written there', async () => {
  const web = await startWeb({ DATABASE_URL: inject('postgresUrl') }, 'ignore')
  await chmod(web.home, 0o777)
  expect(await web.exited).toBe(78)
  expect(web.said()).toContain('chmod 700')
  expect(existsSync(join(web.home, 'logs'))).toBe(false)
})
