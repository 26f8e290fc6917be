import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeRepository } from '../../test/support/repository.ts'
import { openTestWorkspaces } from '../../test/support/workspaces-here.ts'
import type { WorkspaceSource } from '#contract/workspace.ts'
import { checkWorkspace } from './check-workspace.ts'
import { prepareWorkspace } from './prepare-workspace.ts'

/** Two places with the same in them: one where sources may lie, and one where they may not. */
async function open() {
  const here = await openTestWorkspaces()
  const outside = mkdtempSync(join(tmpdir(), 'signalbox-outside-'))
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
  for (const [folder, text] of [
    [join(here.work, 'src'), 'allowed'],
    [join(outside, 'src'), 'private'],
  ] as const) {
    mkdirSync(folder)
    makeRepository(join(folder, 'repo'), { 'a.txt': text })
    execFileSync('tar', ['-cf', join(folder, 'a.tar'), '-C', join(folder, 'repo'), 'a.txt'])
  }
  const readyWorkspace = here.ready((row, tell, note) => prepareWorkspace(here, row, tell, note))
  async function create(source: WorkspaceSource) {
    const row = await here.insert({ driver: 'sandbox', root: '', state: 'new', source })
    await checkWorkspace(here, { id: row.id, driver: 'sandbox', root: null, source })
    return row.id
  }
  return { ...here, outside, readyWorkspace, create }
}

const sources: [string, (folder: string) => WorkspaceSource][] = [
  ['a folder', (folder) => ({ path: join(folder, 'repo') })],
  ['a repository', (folder) => ({ git: join(folder, 'repo') })],
  ['the address of a repository', (folder) => ({ git: `file://${folder}/repo`, ref: 'main' })],
  ['an archive', (folder) => ({ archive: join(folder, 'a.tar') })],
]

test.each(sources)('%s that was replaced by a link since it was asked for is not read', async (_, at) => {
  const { work, outside, create, readyWorkspace, read, workspaces } = await open()
  await expect(create(at(join(outside, 'src')))).rejects.toMatchObject({ code: 'working_dir_not_allowed' })
  const id = await create(at(join(work, 'src')))
  renameSync(join(work, 'src'), join(work, 'before'))
  symlinkSync(join(outside, 'src'), join(work, 'src'))
  await expect(readyWorkspace(id)).rejects.toMatchObject({ code: 'working_dir_not_allowed' })
  expect(await read(id)).toMatchObject({ state: 'failed' })
  expect(existsSync(workspaces.placeOf(id).root)).toBe(false)
})

test.each(sources)('%s may be named through a link to a place that is allowed', async (_, at) => {
  const { work, create, readyWorkspace, workspaces } = await open()
  symlinkSync(join(work, 'src'), join(work, 'link'))
  const id = await create(at(join(work, 'link')))
  await readyWorkspace(id)
  expect(readFileSync(join(workspaces.placeOf(id).root, 'a.txt'), 'utf8')).toBe('allowed')
})

test('what was brought is prepared further when its source is gone', async () => {
  const { work, create, readyWorkspace, workspaces, pool } = await open()
  const id = await create({ path: join(work, 'src') })
  await readyWorkspace(id)
  rmSync(join(work, 'src'), { recursive: true })
  writeFileSync(join(workspaces.placeOf(id).root, 'mine.txt'), 'mine')
  await pool.db.$client.query(`update workspaces set state = 'failed' where id = $1`, [id])
  expect((await readyWorkspace(id)).row).toMatchObject({ state: 'ready' })
  expect(existsSync(join(workspaces.placeOf(id).root, 'mine.txt'))).toBe(true)
})
