import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { makeRepository } from '../../test/support/repository.ts'
import { openTestWorkspaces } from '../../test/support/workspaces-here.ts'
import type { AskWorkspace } from '#contract/internal.ts'
import { audit, workspaces as table } from '#db/schema.ts'
import { owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import { prepareWorkspace } from './prepare-workspace.ts'
import { openJanitor } from './janitor.ts'
import type { Containers } from './janitor.ts'
import { prune } from './prune.ts'
import { openWorkspaceVerbs } from './workspace-verbs.ts'

async function open() {
  const here = await openTestWorkspaces()
  const readyWorkspace = here.ready((row, tell, note) => prepareWorkspace(here, row, tell, note))
  const needs = { ...here, readyWorkspace }
  const verbs = openWorkspaceVerbs(needs)
  const act = (workspaceId: string, verb: AskWorkspace['verb'], input: unknown = {}) =>
    verbs({ workspaceId, verb, input, by: owner })
  async function worktree() {
    const repository = makeRepository(join(here.work, newId()), { 'a.txt': 'a\n' })
    const parent = await here.insert({ root: repository })
    const { id } = await here.insert({ root: '', parentId: parent.id, name: 'Fix it', state: 'new' })
    await readyWorkspace(id)
    return { repository, row: await here.read(id) }
  }
  const containers: Containers = { find: async () => [], remove: async () => undefined }
  const janitor = (more: Partial<Containers> = {}) =>
    openJanitor({ ...needs, containers: { ...containers, ...more } })
  return { ...needs, act, worktree, janitor }
}

test('a worktree is made, trashed with all that is in it, and restored', async () => {
  const { act, worktree, read, pool } = await open()
  const { row } = await worktree()
  expect(row).toMatchObject({ state: 'ready', branch: 'signalbox/fix-it', baseRef: expect.any(String) })
  writeFileSync(join(row.root, 'new.txt'), 'kept\n')
  expect(await act(row.id, 'trash')).toMatchObject({ filesRemoved: true })
  expect((await read(row.id)).diskBytes).toBeGreaterThan(0)
  expect(await act(row.id, 'trash')).toMatchObject({ message: expect.stringContaining('in the trash') })
  expect([existsSync(row.root), (await read(row.id)).snapshot]).toEqual([false, expect.any(String)])
  expect(await act(row.id, 'restore')).toEqual({ state: 'ready' })
  expect(readFileSync(join(row.root, 'new.txt'), 'utf8')).toBe('kept\n')
  expect(await read(row.id)).toMatchObject({ state: 'ready', snapshot: null, trashedAt: null })
  const noted = await pool.db.select().from(audit)
  expect(noted.map(({ subject, outcome }) => `${subject} ${outcome}`)).toEqual([
    'trash ok',
    'trash ok',
    'restore ok',
  ])
})

test('a worktree says which ports are its own to whatever runs in it, and a folder has none', async () => {
  const here = await open()
  const { row } = await here.worktree()
  await here.pool.db
    .update(table)
    .set({ ports: [8010, 8011, 8012] })
    .where(eq(table.id, row.id))
  expect((await here.readyWorkspace(row.id)).spec).toMatchObject({
    env: { PORT: '8010', SIGNALBOX_PORT_FIRST: '8010', SIGNALBOX_PORTS: '8010-8012' },
  })
  expect((await here.readyWorkspace(row.parentId ?? '')).spec).not.toHaveProperty('env')
})

test('what cannot be put away stays as it was, and that is noted', async () => {
  const { act, worktree, read, pool, workspaces } = await open()
  const { row } = await worktree()
  vi.spyOn(workspaces, 'trash').mockRejectedValueOnce(new Error('the disk is on fire'))
  await expect(act(row.id, 'trash')).rejects.toThrow('the disk is on fire')
  expect(await read(row.id)).toMatchObject({ state: 'ready', trashedAt: null })
  expect(existsSync(join(row.root, 'a.txt'))).toBe(true)
  const [noted] = await pool.db.select().from(audit)
  expect(noted).toMatchObject({ outcome: 'failed', detail: { code: 'internal' } })
  expect(JSON.stringify(noted)).not.toContain('fire')
})

test('a folder of the user’s own loses nothing, whatever is done with it', async () => {
  const { act, insert, work } = await open()
  const { id } = await insert({})
  writeFileSync(join(work, 'mine.txt'), 'mine\n')
  expect(await act(id, 'trash')).toMatchObject({ filesRemoved: false })
  expect(existsSync(join(work, 'mine.txt'))).toBe(true)
  expect(await act(id, 'restore')).toEqual({ state: 'ready' })
})

test('what is not ready has no changes, and what is no worktree is not merged', async () => {
  const { act, insert, worktree } = await open()
  const { id } = await insert({ state: 'new' })
  await expect(act(id, 'diff')).rejects.toMatchObject({ code: 'workspace_not_ready' })
  await expect(act(id, 'merge')).rejects.toMatchObject({ code: 'does_not_fit' })
  await expect(act(newId(), 'diff')).rejects.toMatchObject({ code: 'workspace_not_found' })
  const { row } = await worktree()
  rmSync(row.root, { recursive: true })
  await expect(act(row.id, 'diff')).rejects.toMatchObject({ code: 'workspace_failed' })
})

test('prune takes what belongs to nobody, and nothing that is anybody’s', async () => {
  const here = await open()
  const { row } = await here.worktree()
  const draft = join(here.workspaces.placeOf(newId()).folder)
  mkdirSync(draft, { recursive: true })
  writeFileSync(join(draft, 'left.txt'), 'left\n')
  const trashed = (await here.worktree()).row
  await here.act(trashed.id, 'trash')
  const told = await prune(here, { dryRun: true, by: owner })
  expect(told).toMatchObject({ isDryRun: true, items: [{ kind: 'workspace' }] })
  expect(existsSync(draft)).toBe(true)
  expect((await prune(here, { dryRun: false, by: owner })).items).toHaveLength(1)
  expect([existsSync(draft), existsSync(row.root)]).toEqual([false, true])
  expect(await here.act(trashed.id, 'restore')).toEqual({ state: 'ready' })
})

test('the janitor goes on with what a killed worker began: a trash, and a preparation', async () => {
  const { worktree, janitor, read, pool, insert, work } = await open()
  const { row } = await worktree()
  await pool.db.$client.query(`update workspaces set state = 'trashed', trashed_at = now() where id = $1`, [
    row.id,
  ])
  const half = await insert({ root: makeRepository(join(work, 'half'), { a: 'a' }), state: 'preparing' })
  await janitor().clean()
  expect(await read(row.id)).toMatchObject({ state: 'trashed', snapshot: expect.any(String) })
  expect(existsSync(row.root)).toBe(false)
  await expect.poll(async () => (await read(half.id)).state).toBe('ready')
})

test('the janitor forgets the trash when it is old, and not before; then nothing can be restored', async () => {
  const { act, worktree, janitor, read, pool } = await open()
  const { row } = await worktree()
  await act(row.id, 'trash')
  await janitor().clean()
  expect((await read(row.id)).forgottenAt).toBeNull()
  await pool.db.$client.query(`update workspaces set trashed_at = now() - interval '31 days' where id = $1`, [
    row.id,
  ])
  await janitor().clean()
  expect(await read(row.id)).toMatchObject({ snapshot: null, forgottenAt: expect.any(Date) })
  await expect(act(row.id, 'restore')).rejects.toMatchObject({ code: 'nothing_to_restore' })
})

test('one in the trash is deleted for good when somebody says so, and not one that is in use', async () => {
  const { act, worktree, read, insert, workspaces, pool } = await open()
  const { row } = await worktree()
  await expect(act(row.id, 'forget')).rejects.toMatchObject({ code: 'workspace_in_use' })
  expect(existsSync(row.root)).toBe(true)
  await act(row.id, 'trash')
  expect(await act(row.id, 'forget')).toMatchObject({ filesRemoved: true })
  expect(await read(row.id)).toMatchObject({ snapshot: null, forgottenAt: expect.any(Date) })
  expect(workspaces.snapshotOf(row.id)).toBeNull()
  await expect(act(row.id, 'restore')).rejects.toMatchObject({ code: 'nothing_to_restore' })
  expect(await act(row.id, 'forget')).toMatchObject({ filesRemoved: false })
  await expect(act(row.id, 'measure')).rejects.toMatchObject({ code: 'workspace_not_found' })
  const own = await insert({})
  await act(own.id, 'trash')
  expect(await act(own.id, 'forget')).toMatchObject({
    filesRemoved: false,
    message: expect.stringContaining(own.root),
  })
  const noted = (await pool.db.select().from(audit)).filter(({ subject }) => subject === 'forget')
  expect(noted.map(({ outcome }) => outcome)).toEqual(['refused', 'ok', 'ok', 'ok'])
})

test('what it takes on the disk is found out when somebody asks, of a folder of the user’s own too', async () => {
  const { act, read, insert, work, pool } = await open()
  const root = join(work, 'mine')
  mkdirSync(root)
  writeFileSync(join(root, 'large'), Buffer.alloc(1_000_000))
  const own = await insert({ root })
  expect(await act(own.id, 'measure')).toMatchObject({ bytes: expect.any(Number) })
  expect(await read(own.id)).toMatchObject({ diskMeasuredAt: expect.any(Date) })
  expect((await read(own.id)).diskBytes).toBeGreaterThan(1_000_000)
  await act(own.id, 'trash')
  await expect(act(own.id, 'measure')).rejects.toMatchObject({ code: 'workspace_trashed' })
  expect((await pool.db.select().from(audit)).map(({ subject, outcome }) => `${subject} ${outcome}`)).toEqual(
    ['trash ok', 'measure refused'],
  )
})

test('the janitor measures what is ours', async () => {
  const { worktree, janitor, read, insert } = await open()
  const { row } = await worktree()
  writeFileSync(join(row.root, 'large'), Buffer.alloc(1_000_000))
  const own = await insert({})
  await janitor().clean()
  expect((await read(row.id)).diskBytes).toBeGreaterThan(1_000_000)
  expect((await read(own.id)).diskBytes).toBeNull()
})

test('the janitor is not held up by an engine that hangs', async () => {
  const { worktree, janitor, read, workspaces } = await open()
  const docker = { driver: 'docker' as const, works: true, reason: null, lacks: [], version: null }
  workspaces.driver = async () => docker
  const { row } = await worktree()
  const hung = Promise.withResolvers<never[]>()
  const cleaned = janitor({ find: () => hung.promise }).clean()
  try {
    await expect.poll(async () => (await read(row.id)).diskBytes, { timeout: 20_000 }).toBeGreaterThan(0)
  } finally {
    hung.resolve([])
    await cleaned
  }
})

test('the janitor removes containers whose keeper is dead, and leaves alone what is in doubt', async () => {
  const { janitor, living, workspaces } = await open()
  const docker = { driver: 'docker' as const, works: true, reason: null, lacks: [], version: null }
  workspaces.driver = async () => docker
  const [alive, dead, other] = [newId(), newId(), newId()]
  living.set(alive, { isAlive: () => true })
  living.set(dead, { isAlive: () => false })
  const found = [alive, dead, other].map((keeperId) => ({ id: keeperId, name: keeperId, keeperId }))
  const removed: string[] = []
  const remove = async (id: string) => void removed.push(id)
  await janitor({ find: async () => found, remove }).clean()
  expect(removed).toEqual([dead, other])
  removed.length = 0
  await janitor({ find: () => Promise.reject(new Error('the engine is away')), remove }).clean()
  docker.works = false
  await janitor({ find: async () => found, remove }).clean()
  expect(removed).toEqual([])
})
