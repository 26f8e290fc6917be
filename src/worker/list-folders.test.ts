import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Config } from '#config/config.ts'
import { listFolders } from './list-folders.ts'

let root = ''
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-folders-')))
  for (const path of [
    'work/yard/.git',
    'work/plain',
    'work/.hidden/.git',
    'home/.git',
    'outside/.git',
    'repo/.git/x',
    'repo/sub/.git',
  ])
    mkdirSync(join(root, path), { recursive: true })
  symlinkSync(join(root, 'outside'), join(root, 'work/link'))
})
afterAll(() => rmSync(root, { recursive: true }))

const at = (path: string) => join(root, path)
/** What git itself says is tested where it is asked; here a folder with .git counts. */
const needs = (...dirs: string[]) => ({
  config: () => ({ allowedWorkingDirs: dirs.map(at), home: at('home') }) as Config,
  workspaces: { isRepository: async (path: string) => ['yard', 'repo'].some((name) => path.endsWith(name)) },
})
const paths = async (...dirs: string[]) => (await listFolders(needs(...dirs))).map(({ path }) => path)

test('lists what is allowed, and repositories right below what is none, by no link and nothing hidden', async () => {
  expect(await paths('work')).toEqual([at('work'), at('work/yard')])
  expect(await paths('repo')).toEqual([at('repo')])
  expect(await paths('work', 'work/yard', 'gone')).toEqual([at('work'), at('work/yard')])
})

test('looks at one path that is asked for, and refuses what is not allowed or is our own home', async () => {
  expect(await listFolders(needs('work'), at('work/plain'))).toEqual([
    { path: at('work/plain'), name: 'plain', isRepository: false },
  ])
  const refused = { code: 'working_dir_not_allowed' }
  await expect(listFolders(needs('work'), at('outside'))).rejects.toMatchObject(refused)
  await expect(listFolders(needs('work'), at('work/link'))).rejects.toMatchObject(refused)
  await expect(listFolders(needs('.'), at('home'))).rejects.toMatchObject(refused)
})
