import { spawn } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startKeeper } from '../../test/support/keeper.ts'
import type { TestKeeper } from '../../test/support/keeper.ts'
import { MARK, sessionMark } from '#contract/keeper-protocol.ts'
import type { AskShell } from '#contract/keeper.ts'
import { newId } from '#lib/id.ts'
import { findMarked } from '#lib/marked-processes.ts'

const workspace = { id: newId(), driver: 'folder' as const, root: '/' }
let keeper: TestKeeper

beforeAll(async () => {
  keeper = await startKeeper()
})
afterAll(() => keeper.stop())

const open = (id: string, more: Partial<AskShell> = {}) =>
  keeper.call('POST', `/sessions/${id}/shell`, {
    workspace,
    program: '/bin/sh',
    argv: [],
    env: { PATH: process.env['PATH'] ?? '' },
    cwd: '/',
    notAfter: Date.now() + 10_000,
    unseenMs: 60_000,
    ...more,
  })
const end = (id: string) => keeper.call('POST', `/sessions/${id}/end-shell`, {})
const greeting = async () => (await keeper.call('GET', '/')).body
const left = (id: string, of = keeper) => {
  const mark = `shell:${sessionMark(id, of.keeperId)}`
  return findMarked(MARK, [mark, `tmux:${mark}`])
}

it('opens one shell, however often it is asked, and ends it with all that runs in it', async () => {
  const id = newId()
  const [one, other] = await Promise.all([open(id), open(id)])
  expect(one).toMatchObject({ status: 200, body: { sessionId: id, tmuxSession: expect.any(String) } })
  expect(other).toEqual(one)
  expect(await greeting()).toMatchObject({ terminals: [], shells: [one.body] })
  expect(left(id)).not.toEqual([])
  expect((await end(id)).status).toBe(200)
  expect((await end(id)).status).toBe(200)
  expect((await greeting()).shells).toEqual([])
  expect(left(id)).toEqual([])
})

it('keeps it while somebody looks, and ends it when nobody has for long', async () => {
  const id = newId()
  const { body } = await open(id, { unseenMs: 600 })
  const person = spawn('script', ['-qc', body.attach, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm' },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const gone = new Promise((resolve) => person.once('exit', resolve))
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  expect((await greeting()).shells).toHaveLength(1)
  person.kill()
  await gone
  await expect.poll(async () => (await greeting()).shells, { timeout: 10_000 }).toEqual([])
  expect(left(id)).toEqual([])
})

it('says why there is none, and holds up nobody who wants the keeper gone', async () => {
  const refused = await open(newId(), { program: '/bin/nothing' })
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'not_started' } } })
  const other = await startKeeper()
  const id = newId()
  const asked = {
    workspace,
    program: '/bin/sh',
    argv: [],
    env: {},
    cwd: '/',
    notAfter: Date.now() + 10_000,
    unseenMs: 60_000,
  }
  expect((await other.call('POST', `/sessions/${id}/shell`, asked)).status).toBe(200)
  const { status } = await other.call('POST', '/shutdown', { reason: 'idle', graceMs: 0, unlessBusy: true })
  expect(status).toBe(200)
  await other.exited
  expect(left(id, other)).toEqual([])
  await other.stop()
})
