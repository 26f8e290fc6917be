import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeRepository, openFiles, refusalOf, tempFolder } from '../../test/support/workspace-files.ts'
import { hold } from './held.ts'

it('leads to what was opened, whatever comes to its place', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'src/allowed.txt'), '')
  await using held = await hold(join(folder, 'src'))
  renameSync(join(folder, 'src'), join(folder, 'before'))
  symlinkSync(tempFolder('private'), join(folder, 'src'))
  expect(readdirSync(held.path)).toEqual(['allowed.txt'])
  expect(execFileSync('ls', { cwd: held.path, encoding: 'utf8' })).toBe('allowed.txt\n')
})

it('holds nothing open that is refused', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'a'))
  symlinkSync(folder, join(folder, 'link'))
  const open = () => readdirSync('/proc/self/fd').length
  const before = open()
  for (let count = 0; count < 50; count += 1)
    expect(await refusalOf(hold(join(folder, 'link/a')))).toMatchObject({ code: 'does_not_fit' })
  expect(open()).toBeLessThan(before + 20)
})

describe('nothing is brought from what a link leads to:', () => {
  function place() {
    const [folder, repository] = [tempFolder(), makeRepository({ 'private.txt': 'private' })]
    symlinkSync(repository, join(folder, 'repo'))
    mkdirSync(join(folder, 'real'))
    symlinkSync(repository, join(folder, 'real/way'))
    mkdirSync(join(repository, 'below'))
    execFileSync('tar', ['-cf', join(repository, 'a.tar'), '-C', repository, 'private.txt'])
    return { folder, repository }
  }

  it.each([
    { path: 'repo' },
    { path: 'real/way/below' },
    { git: 'repo' },
    { archive: 'repo/a.tar' },
    { archive: 'real/way/a.tar' },
  ])('%o', async (source) => {
    const { folder } = place()
    const [[kind, name] = ['', '']] = Object.entries(source)
    const { workspaces } = openFiles()
    const at = { [kind]: join(folder, name) } as { path: string }
    expect(await refusalOf(workspaces.bring('w', at))).toMatchObject({ code: 'does_not_fit' })
    expect(existsSync(workspaces.placeOf('w').root)).toBe(false)
  })

  it.each(['.git', '.git/objects', '.git/refs'])('a repository whose %s is one', async (name) => {
    const [mine, { repository }] = [makeRepository(), place()]
    renameSync(join(mine, name), join(mine, 'before'))
    symlinkSync(join(repository, name), join(mine, name))
    const { workspaces } = openFiles()
    expect(await refusalOf(workspaces.bring('w', { git: mine }))).toMatchObject({ code: 'not_a_repository' })
  })

  it('a repository that says that it is a part of another', async () => {
    const [mine, { repository }] = [makeRepository(), place()]
    writeFileSync(join(mine, '.git/commondir'), join(repository, '.git'))
    const { workspaces } = openFiles()
    expect(await refusalOf(workspaces.bring('w', { git: mine }))).toMatchObject({ code: 'not_a_repository' })
  })
})

it('a clone names the repository as its origin, and not the way by which it was read', async () => {
  const repository = makeRepository()
  const { workspaces } = openFiles()
  await workspaces.bring('w', { git: repository, ref: 'main' })
  const config = readFileSync(join(workspaces.placeOf('w').root, '.git/config'), 'utf8')
  expect(config).toContain(`url = ${repository}\n`)
  expect(config).not.toContain('/proc/')
  writeFileSync(join(repository, '.git/HEAD'), 'broken')
  const { message } = await refusalOf(workspaces.bring('other', { git: repository }))
  expect(message).toContain(repository)
  expect(message).not.toContain('/proc/')
})
