import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import type { AskTool } from '#contract/internal.ts'
import { machines, sessions, streams, workspaces } from '#db/schema.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { startKeeper } from '../../test/support/keeper.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { openToolCalls } from './call-tool.ts'
import { keeperAt } from './keeper-client.ts'
import type { Keepers } from './keepers.ts'

/** The worker's side of tools, with real keepers, and a workspace that is looked up as often as it is counted. */
async function openCalls({ knownMs = 600_000, preparing = Promise.resolve() } = {}) {
  const pool = await freshPool()
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-tools-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [machineId, sessionId, workspaceId] = [newId(), newId(), newId()]
  await pool.db.insert(machines).values({ id: machineId, name: 'here', workerId: 'w', url: 'unix:/nowhere' })
  await pool.db.insert(streams).values({ id: sessionId })
  await pool.db.insert(sessions).values({ id: sessionId, title: 't', createdBy: 'owner' })
  const seen: string[] = []
  const forgotten: string[] = []
  const sockets: string[] = []
  const keepers = {
    forWorkspace: async () => ({ client: keeperAt(sockets[0] ?? '/nowhere') }),
    forget: (id: string) => {
      forgotten.push(id)
      sockets.shift()
    },
  } as unknown as Keepers
  const calls = openToolCalls({
    pool,
    keepers,
    config: () => ({ allowedWorkingDirs: [folder], home: folder }) as never,
    machineId,
    knownMs,
    readyWorkspace: async (id) => {
      seen.push(id)
      await preparing
      return { row: undefined as never, spec: { id, driver: 'folder', root: folder } }
    },
  })
  async function ask(tool: AskTool['tool'], input: object, more: Partial<AskTool> = {}) {
    const asked = { sessionId, workspaceId, stamp: 'a', tool, limitMs: 10_000, ...more }
    const answer = await calls.ask(asked, JSON.stringify(input), new AbortController().signal)
    return JSON.parse(await text(answer))
  }
  async function addKeeper() {
    const keeper = await startKeeper()
    onTestFinished(() => keeper.stop())
    sockets.push(keeper.socket)
    return keeper
  }
  return { pool, folder, machineId, sessionId, workspaceId, seen, forgotten, sockets, ask, addKeeper }
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : error),
  )

test('asks the keeper, and looks a workspace up again only when it has changed', async () => {
  const { ask, addKeeper, seen, workspaceId } = await openCalls()
  await addKeeper()
  expect((await ask('write', { path: 'a', content: 'é🚂' })).data).toMatchObject({ path: 'a', size: 6 })
  expect((await ask('read', { path: 'a' })).data.content).toBe('é🚂')
  expect(seen).toEqual([workspaceId])
  await ask('read', { path: 'a' }, { stamp: 'b' })
  await ask('read', { path: 'a' }, { stamp: 'b' })
  expect(seen.length).toBe(2)
})

test('and when it was looked up long ago', async () => {
  const { ask, addKeeper, seen } = await openCalls({ knownMs: 0 })
  await addKeeper()
  for (let times = 0; times < 2; times++) await ask('list', {})
  expect(seen.length).toBe(2)
})

test('hands on what the tool refuses, with its context', async () => {
  const { ask, addKeeper } = await openCalls()
  await addKeeper()
  const refused = ask('read', { path: '../x' })
  await expect(refused).rejects.toMatchObject({ code: 'path_outside', context: { path: '../x' } })
  expect(await codeOf(ask('command', { command: 'sleep 60', timeout: 60_000 }, { limitMs: 200 }))).toBe(
    'tool_timed_out',
  )
})

test('takes the next keeper for one that is gone, or that serves another workspace', async () => {
  const { ask, addKeeper, sockets, forgotten, workspaceId } = await openCalls()
  await addKeeper()
  await ask('list', {}, { workspaceId: newId() }) // from now on it serves that one
  sockets.unshift('/nowhere')
  await addKeeper()
  expect((await ask('list', {})).data.entries).toEqual([])
  expect(forgotten).toEqual([workspaceId, workspaceId])
})

test('what a keeper may have begun when it died is not begun again', async () => {
  const { ask, addKeeper, folder, forgotten } = await openCalls()
  const first = await addKeeper()
  await addKeeper()
  const asked = codeOf(ask('command', { command: 'echo once >> times; sleep 60', timeout: 60_000 }))
  await expect.poll(() => existsSync(join(folder, 'times')), { timeout: 20_000 }).toBe(true)
  first.process.kill('SIGKILL')
  expect(await asked).toBe('workspace_failed')
  expect([forgotten, readFileSync(join(folder, 'times'), 'utf8')]).toEqual([[], 'once\n'])
})

test('nobody waits for longer than they said until a workspace is prepared, and that goes on', async () => {
  const { promise: preparing, resolve: prepared } = Promise.withResolvers<void>()
  const { ask, addKeeper, seen } = await openCalls({ preparing })
  await addKeeper()
  expect(await codeOf(ask('list', {}, { limitMs: 100 }))).toBe('workspace_not_ready')
  const waiting = ask('list', {}, { limitMs: 60_000 })
  prepared()
  expect((await waiting).data.entries).toEqual([])
  expect(seen.length).toBe(2)
})

test('a session that has not been anywhere is given a place, and stays there', async () => {
  const { ask, addKeeper, seen, pool, sessionId, machineId, folder } = await openCalls()
  await addKeeper()
  const placeless = { workspaceId: undefined, stamp: undefined } as never
  await ask('list', {}, placeless)
  const [row] = await pool.db.select().from(workspaces).where(eq(workspaces.machineId, machineId))
  expect(row).toMatchObject({ driver: 'folder', root: folder })
  expect(seen).toEqual([row!.id])
  const [session] = await pool.db.select().from(sessions).where(eq(sessions.id, sessionId))
  expect(session!.workspaceId).toBe(row!.id)
  await ask('list', {}, placeless)
  expect(seen).toEqual([row!.id, row!.id])
})
