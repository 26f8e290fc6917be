import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openTestWorkspace } from '../../../test/support/workspace-tools.ts'
import type { TestWorkspace } from '../../../test/support/workspace-tools.ts'

let workspace: TestWorkspace
beforeEach(() => {
  workspace = openTestWorkspace()
})
afterEach(() => workspace.close())

it('a folder is told by name, with what each thing is', async () => {
  const { root } = workspace
  mkdirSync(join(root, 'folder/b'), { recursive: true })
  writeFileSync(join(root, 'folder/a.txt'), 'abc')
  writeFileSync(join(root, 'folder/.hidden'), '')
  writeFileSync(join(root, 'folder/Z'), '')
  symlinkSync('/etc/passwd', join(root, 'folder/link'))
  spawnSync('mkfifo', [join(root, 'folder/pipe')])
  const { path, entries, truncated } = await workspace.call('list', { path: '/workspace/folder/' })
  expect({ path, truncated }).toEqual({ path: 'folder', truncated: false })
  expect(entries.map(({ name, kind, size }) => [name, kind, kind === 'file' ? size : 0])).toEqual([
    ['.hidden', 'file', 0],
    ['Z', 'file', 0],
    ['a.txt', 'file', 3],
    ['b', 'folder', 0],
    ['link', 'link', 0],
    ['pipe', 'other', 0],
  ])
})

it('the root is told without being named', async () => {
  expect(await workspace.call('list', {})).toMatchObject({ path: '.', entries: [], truncated: false })
  expect(await workspace.code('list', { path: 'none' })).toBe('path_not_found')
})

it('of very many the first 10,000 are told', async () => {
  for (let index = 0; index < 10_050; index += 1)
    writeFileSync(join(workspace.root, `f${10_050 - index}`), '')
  const { entries, truncated } = await workspace.call('list', {})
  expect(truncated).toBe(true)
  expect(entries.map(({ name }) => name)).toEqual(
    Array.from({ length: 10_050 }, (_, index) => `f${index + 1}`)
      .toSorted()
      .slice(0, 10_000),
  )
})
