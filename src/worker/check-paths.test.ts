import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkBinary, checkSource, checkWorkingDir, checkWorktree } from './check-paths.ts'

let root = ''
const at = (...parts: string[]) => join(root, ...parts)

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-paths-')))
  for (const folder of ['allowed/inner', 'allowed-too', 'outside', 'home/keepers', 'bin', 'opt'])
    mkdirSync(at(folder), { recursive: true })
  symlinkSync(at('outside'), at('allowed/way-out'))
  symlinkSync(at('allowed/inner'), at('outside/way-in'))
  for (const program of ['bin/tool', 'opt/versioned', 'outside/tool']) {
    writeFileSync(at(program), '#!/bin/sh\n')
    chmodSync(at(program), 0o755)
  }
  writeFileSync(at('bin/data'), 'no program')
  symlinkSync(at('opt/versioned'), at('bin/linked'))
})
afterAll(() => rmSync(root, { recursive: true }))

describe('a working folder', () => {
  const check = (path: string, allowed = [at('allowed')]) => checkWorkingDir(path, allowed, at('home'))

  test('is allowed in an allowed folder, by its real path', async () => {
    expect(await check(at('allowed'))).toBe(at('allowed'))
    expect(await check(at('allowed/inner/../inner/.'))).toBe(at('allowed/inner'))
    expect(await check(at('outside/way-in'))).toBe(at('allowed/inner'))
  })

  test('is refused outside, however it is written', async () => {
    const refused = { code: 'working_dir_not_allowed' }
    await expect(check(at('outside'))).rejects.toMatchObject(refused)
    await expect(check(at('allowed/../outside'))).rejects.toMatchObject(refused)
    await expect(check(at('allowed/way-out'))).rejects.toMatchObject(refused)
    await expect(check(at('allowed-too'))).rejects.toMatchObject(refused) // begins with the same letters
    await expect(check('/')).rejects.toMatchObject(refused)
  })

  test('is never where the keys are, even if that is allowed', async () => {
    await expect(check(at('home/keepers'), [root])).rejects.toMatchObject({
      code: 'working_dir_not_allowed',
      message: expect.stringContaining('own home'),
    })
  })

  test('must be a folder that is there, and absolute', async () => {
    await expect(check(at('allowed/gone'))).rejects.toMatchObject({ code: 'does_not_fit' })
    await expect(check(at('bin/tool'), [at('bin')])).rejects.toThrow('not a folder')
    await expect(check('.', [process.cwd()])).rejects.toMatchObject({ code: 'does_not_fit' })
  })

  test('is judged by the real path of an allowed folder that is itself a link', async () => {
    expect(await check(at('allowed/inner'), [at('outside/way-in')])).toBe(at('allowed/inner'))
  })
})

describe('a worktree', () => {
  test('is one of ours by its real path, and nothing else of the home is', async () => {
    mkdirSync(at('home/worktrees/repo/fix'), { recursive: true })
    symlinkSync(at('home/keepers'), at('home/worktrees/repo/way-out'))
    const check = (path: string) => checkWorktree(at(path), at('home'))
    expect(await check('home/worktrees/repo/fix')).toBe(at('home/worktrees/repo/fix'))
    for (const path of ['home/keepers', 'home/worktrees', 'home/worktrees/repo/way-out', 'allowed'])
      await expect(check(path)).rejects.toMatchObject({ code: 'working_dir_not_allowed' })
    await expect(check('home/worktrees/repo/gone')).rejects.toMatchObject({ code: 'workspace_failed' })
  })
})

test('a workspace is made from what is allowed, by its real path', async () => {
  const check = (path: string) => checkSource(at(path), [at('allowed')], at('home'))
  expect(await check('outside/way-in')).toBe(at('allowed/inner'))
  for (const path of ['outside', 'allowed/way-out', 'home'])
    await expect(check(path)).rejects.toMatchObject({ code: 'working_dir_not_allowed' })
})

describe('a program', () => {
  const listed = () => ({ dirs: [at('bin')], linksLeadOut: false })
  const onPath = () => ({ dirs: [at('bin')], linksLeadOut: true })

  test('that is ours is allowed wherever it lies, and nothing else beside it', async () => {
    const allowed = { dirs: [at('bin')], linksLeadOut: false, ours: [at('outside/tool')] }
    expect(await checkBinary(at('outside/tool'), allowed)).toBe(at('outside/tool'))
    await expect(checkBinary(at('opt/versioned'), allowed)).rejects.toMatchObject({
      code: 'binary_not_allowed',
    })
    await expect(checkBinary(at('outside/gone'), allowed)).rejects.toMatchObject({ code: 'does_not_fit' })
  })

  test('may run from an allowed folder, and is called as it was named', async () => {
    expect(await checkBinary(at('bin/../bin/tool'), listed())).toBe(at('bin/tool'))
    expect(await checkBinary(at('bin/linked'), onPath())).toBe(at('bin/linked'))
  })

  test('is refused elsewhere, and behind a link that leads out of a list', async () => {
    const refused = { code: 'binary_not_allowed' }
    await expect(checkBinary(at('outside/tool'), onPath())).rejects.toMatchObject(refused)
    await expect(checkBinary(at('bin/../outside/tool'), onPath())).rejects.toMatchObject(refused)
    await expect(checkBinary(at('bin/linked'), listed())).rejects.toMatchObject(refused)
  })

  test('must be there, a file, and executable', async () => {
    await expect(checkBinary(at('bin/gone'), listed())).rejects.toThrow('does not exist')
    await expect(checkBinary('tool', onPath())).rejects.toThrow('does not exist')
    await expect(checkBinary(at('bin'), { dirs: [root], linksLeadOut: false })).rejects.toThrow('not a file')
    await expect(checkBinary(at('bin/data'), listed())).rejects.toThrow('not executable')
  })
})
