import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openTestWorkspaces } from '../../test/support/workspaces-here.ts'
import { owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import { openJanitor } from './janitor.ts'
import type { Keeper } from './keepers.ts'
import { openWorkspaceVerbs } from './workspace-verbs.ts'

// Putting a workspace into the trash, with the worst at the worst moment: its files have moved, and its row does not say so.

// Some start a worker only to see it killed.
vi.setConfig({ testTimeout: 60_000 })

const script = join(import.meta.dirname, '../../test/support/trash-killed.ts')

async function open() {
  const here = await openTestWorkspaces()
  const needs = { ...here, readyWorkspace: here.ready(async () => undefined) }
  const verbs = openWorkspaceVerbs(needs)
  const act = (workspaceId: string, verb: 'trash' | 'restore') =>
    verbs({ workspaceId, verb, input: {}, by: owner })
  const containers = { find: async () => [], remove: async () => undefined }
  const id = newId()
  const { root } = here.workspaces.placeOf(id)
  mkdirSync(root, { recursive: true })
  const file = join(root, 'work.txt')
  writeFileSync(file, 'a day of work\n')
  await here.insert({ id, driver: 'sandbox', root, state: 'ready' })
  return {
    ...needs,
    id,
    root,
    act,
    work: () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
    janitor: () => openJanitor({ ...needs, containers }),
    mark: () =>
      here.pool.db.$client.query(
        `update workspaces set state = 'trashed', trashed_at = now() where id = $1`,
        [id],
      ),
  }
}

async function openKilled() {
  const here = await open()
  const { pool, home, machineId, id: workspaceId } = here
  const asked = JSON.stringify({ url: pool.url, home, machineId, workspaceId })
  const child = spawn(process.execPath, [script], { env: { ...process.env, ASKED: asked }, stdio: 'inherit' })
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
  expect([here.work(), await here.read(workspaceId)]).toMatchObject([
    undefined,
    { state: 'trashed', snapshot: null },
  ])
  return here
}

test.for([true, false])(
  'what a killed worker has moved into the trash comes back whole; the next one has looked: %s',
  async (hasLooked) => {
    const { id, act, janitor, read, work } = await openKilled()
    if (hasLooked) await janitor().clean()
    expect((await read(id)).snapshot).toBe(hasLooked ? id : null)
    expect(await act(id, 'restore')).toEqual({ state: 'ready' })
    expect(work()).toBe('a day of work\n')
    expect(await act(id, 'trash')).toMatchObject({ filesRemoved: true })
    expect(await act(id, 'restore')).toEqual({ state: 'ready' })
    expect(work()).toBe('a day of work\n')
  },
)

test('what a killed worker has moved into the trash can be trashed again, and restored', async () => {
  const { id, act, read, work } = await openKilled()
  expect(await act(id, 'trash')).toMatchObject({ filesRemoved: true })
  expect(await read(id)).toMatchObject({ state: 'trashed', snapshot: id })
  expect(await act(id, 'restore')).toEqual({ state: 'ready' })
  expect(work()).toBe('a day of work\n')
})

test('files that have moved although it could not be written down are in the trash, and come back', async () => {
  for (const failures of [1, 2]) {
    const { id, act, read, work, pool, workspaces } = await open()
    const trash = workspaces.trash.bind(workspaces)
    vi.spyOn(workspaces, 'trash').mockImplementationOnce(async (asked) => {
      const snapshot = await trash(asked)
      const spied = vi.spyOn(pool, 'transaction')
      for (let count = 0; count < failures; count += 1) spied.mockRejectedValueOnce(new Error('no room'))
      return snapshot
    })
    await expect(act(id, 'trash')).rejects.toThrow('no room')
    expect(await read(id)).toMatchObject({ state: 'trashed', snapshot: failures === 1 ? id : null })
    expect(await act(id, 'restore')).toEqual({ state: 'ready' })
    expect(work()).toBe('a day of work\n')
  }
})

test('old trash is removed for good, also when its row never said where it is', async () => {
  const { id, home, janitor, read, pool } = await openKilled()
  const sameJanitor = janitor()
  await sameJanitor.clean()
  await pool.db.$client.query(
    `update workspaces set snapshot = null, trashed_at = now() - interval '31 days' where id = $1`,
    [id],
  )
  await sameJanitor.clean()
  expect((await read(id)).forgottenAt).toEqual(expect.any(Date))
  expect(existsSync(join(home, 'trash', id))).toBe(false)
})

test('the janitor waits for its turn: what somebody is restoring is not moved away from under them', async () => {
  const { id, act, janitor, mark, turns, work, read } = await open()
  await mark()
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  void turns.inTurn(id, () => held)
  const restored = act(id, 'restore')
  const cleaned = janitor().clean()
  letGo()
  expect(await restored).toEqual({ state: 'ready' })
  await cleaned
  expect([work(), (await read(id)).state]).toEqual(['a day of work\n', 'ready'])
})

test('the janitor ends what serves a workspace before it moves its files', async () => {
  const { id, janitor, mark, keepers, work } = await open()
  await mark()
  let seen: string | undefined
  let isBusy = true
  const keeper = {
    id: newId(),
    record: {},
    isAlive: () => true,
    client: {
      greet: async () => ({ workspaceId: id }),
      async shutdown() {
        if (isBusy) throw new Error('This keeper has work to do.')
        seen = work()
      },
    },
  } as unknown as Keeper
  keepers.all = async () => [keeper]
  await janitor().clean()
  expect(work()).toBe('a day of work\n')
  isBusy = false
  await janitor().clean()
  expect([seen, work()]).toEqual(['a day of work\n', undefined])
})
