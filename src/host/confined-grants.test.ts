import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openTestWorkspace } from '../../test/support/workspace-tools.ts'
import type { TestWorkspace } from '../../test/support/workspace-tools.ts'

let workspace: TestWorkspace
const at = (name: string) => join(workspace.root, name)
beforeEach(() => {
  workspace = openTestWorkspace()
  for (const name of ['src', 'out/deep', 'out-of']) mkdirSync(at(name), { recursive: true })
  writeFileSync(at('src/a.json'), 'kept')
})
afterEach(() => workspace.close())

const write = (path: string, within: string[] = ['out']) =>
  workspace.call('write', { path, content: 'new', within })
const refused = (path: string, within: string[] = ['out']) =>
  workspace.code('write', { path, content: 'new', within })

it('what is held to some paths is written there, and in folders that are made for it', async () => {
  for (const path of ['out/x', '/workspace/out/x', 'out/./deep/../x'])
    expect(await write(path)).toMatchObject({ path: 'out/x' })
  expect(await write('out/new/y')).toMatchObject({ created: true })
  expect(await write('made/for/it', ['src', 'made/for'])).toMatchObject({ path: 'made/for/it' })
  expect(await write('anywhere', ['.'])).toMatchObject({ path: 'anywhere' })
  expect(await write('there', ['/workspace'])).toMatchObject({ path: 'there' })
  expect(await write('src/a.json', ['src/a.json'])).toMatchObject({ created: false })
  symlinkSync('deep/z', at('out/inside'))
  expect(await write('out/inside')).toMatchObject({ path: 'out/deep/z' })
  symlinkSync('../src', at('out/both'))
  expect(await write('out/both/b', ['out', 'src'])).toMatchObject({ path: 'src/b' })
})

it('no link leads a write out of them, wherever it is on the way', async () => {
  symlinkSync('../src/a.json', at('out/file'))
  symlinkSync('..', at('out/root'))
  symlinkSync('/workspace/src', at('out/absolute'))
  symlinkSync('../secret.txt', at('out/dangling'))
  symlinkSync('../made/deep/secret.txt', at('out/making'))
  symlinkSync('root/src', at('out/twice'))
  symlinkSync('../out-of/../out/x', at('out/around'))
  const before = readdirSync(workspace.root, { recursive: true }).toSorted()
  for (const path of [
    'out/file',
    'out/root/new.txt',
    'out/root/src/a.json',
    'out/absolute/a.json',
    'out/dangling',
    'out/making',
    'out/twice/a.json',
    'out/around',
    'src/a.json',
    'out-of/x',
    'out/../src/a.json',
  ])
    expect([path, await refused(path)]).toEqual([path, 'path_not_granted'])
  expect(await refused('out/x', [])).toBe('path_not_granted')
  expect(await refused('out/x', ['..'])).toBe('path_not_granted')
  expect(await refused('out', ['out/deep'])).toBe('path_not_granted')
  expect(readFileSync(at('src/a.json'), 'utf8')).toBe('kept')
  expect(readdirSync(workspace.root, { recursive: true }).toSorted()).toEqual(before)
})

it('what is outside of them cannot be told by whether it is there', async () => {
  symlinkSync('../src/a.json/x', at('out/one'))
  symlinkSync('../nothing/x', at('out/other'))
  expect(await workspace.refused('write', { path: 'out/one', content: '', within: ['out'] })).toMatchObject({
    code: 'path_not_granted',
    message: 'out/one leads to a place outside of the paths that were granted',
  })
  expect(await refused('out/other')).toBe('path_not_granted')
  expect(existsSync(at('nothing'))).toBe(false)
})

it('a file that has other names elsewhere is not written', async () => {
  linkSync(at('src/a.json'), at('out/same'))
  expect(await refused('out/same')).toBe('path_not_granted')
  expect(readFileSync(at('src/a.json'), 'utf8')).toBe('kept')
  expect(await workspace.call('write', { path: 'out/same', content: 'new' })).toMatchObject({ size: 3 })
})

it('no handle stays open when it is refused', async () => {
  symlinkSync('../src/a.json', at('out/file'))
  const before = readdirSync('/proc/self/fd').length
  for (let round = 0; round < 200; round += 1) await refused('out/file')
  expect(readdirSync('/proc/self/fd').length).toBeLessThan(before + 20)
})
