import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startKeeper } from '../../test/support/keeper.ts'
import type { TestKeeper } from '../../test/support/keeper.ts'
import { MARK, sessionMark } from '#contract/keeper-protocol.ts'
import type { TakeOver } from '#contract/keeper.ts'
import { newId } from '#lib/id.ts'
import { findMarked } from '#lib/marked-processes.ts'

const tui = join(import.meta.dirname, '../agents/terminal/fixtures/tui.ts')
const workspace = { id: newId(), driver: 'folder' as const, root: '/' }
let keeper: TestKeeper

beforeAll(async () => {
  keeper = await startKeeper()
})
afterAll(() => keeper.stop())

const takeOver = (sessionId: string, more: Partial<TakeOver> = {}) =>
  keeper.call('POST', `/sessions/${sessionId}/take-over`, {
    workspace,
    program: process.execPath,
    argv: [tui],
    env: { PATH: process.env['PATH'] ?? '' },
    cwd: '/',
    notAfter: Date.now() + 10_000,
    ...more,
  })
const handBack = (sessionId: string) => keeper.call('POST', `/sessions/${sessionId}/hand-back`, {})
const greeting = async () => (await keeper.call('GET', '/')).body
const left = (sessionId: string) => {
  const mark = sessionMark(sessionId, keeper.keeperId)
  return findMarked(MARK, [mark, `tmux:${mark}`])
}

it('opens one terminal for a session, however often it is asked, and closes it', async () => {
  const sessionId = newId()
  const [one, other] = await Promise.all([takeOver(sessionId), takeOver(sessionId)])
  expect(one).toMatchObject({ status: 200, body: { sessionId, pid: expect.any(Number) } })
  expect(other).toEqual(one)
  expect(one.body.attach).toMatch(/^TMUX= tmux -S \S+\.tmux attach -t t-[\da-f]{12}$/)
  expect(await greeting()).toMatchObject({ workspaceId: workspace.id, terminals: [one.body] })
  const notNow = await keeper.call('POST', '/shutdown', { reason: 'idle', graceMs: 0, unlessBusy: true })
  expect(notNow.status).toBe(409)
  expect((await handBack(sessionId)).status).toBe(200)
  expect((await handBack(sessionId)).status).toBe(200)
  expect((await greeting()).terminals).toEqual([])
  expect(left(sessionId)).toEqual([])
})

it('does not take a session in the middle of a turn, nor begins one that a person has', async () => {
  const sessionId = newId()
  const id = await keeper.launch('/bin/sleep', ['600'], { workspace, sessionId })
  expect(await takeOver(sessionId)).toMatchObject({ status: 409, body: { error: { code: 'busy' } } })
  const cancel = { epoch: 1, id: newId(), type: 'cancel', payload: null }
  await keeper.call('POST', `/executions/${id}/commands`, cancel)
  await keeper.progress(id)
  expect((await takeOver(sessionId)).status).toBe(200)
  const { end } = await keeper.run('/bin/true', [], { workspace, sessionId })
  expect(end).toMatchObject({
    reason: 'not_started',
    message: 'Somebody has taken the session over: it has to be handed back first',
  })
  await handBack(sessionId)
})

it('says what a program said that ends at once', async () => {
  const sessionId = newId()
  const argv = ['-c', 'echo "unknown option --resume"; exit 2']
  const { status, body } = await takeOver(sessionId, { program: '/bin/sh', argv })
  expect([status, body.error.code]).toEqual([409, 'not_started'])
  expect(body.error.message).toBe('/bin/sh ended at once: unknown option --resume')
  expect((await takeOver(sessionId, { program: '/nowhere/claude' })).body.error.message).toContain(
    'is not there',
  )
  expect(left(sessionId)).toEqual([])
})

it('forgets a terminal in which the program was quit', async () => {
  const sessionId = newId()
  const { body } = await takeOver(sessionId)
  process.kill(body.pid, 'SIGTERM')
  await expect.poll(async () => (await greeting()).terminals, { timeout: 10_000 }).toEqual([])
  await expect.poll(() => left(sessionId)).toEqual([])
})

it('ends what ignores Ctrl-C and SIGTERM', async () => {
  const sessionId = newId()
  const argv = ['-c', 'trap "" INT TERM HUP; while :; do sleep 1; done']
  expect((await takeOver(sessionId, { program: '/bin/sh', argv })).status).toBe(200)
  expect((await handBack(sessionId)).status).toBe(200)
  expect(left(sessionId)).toEqual([])
})
