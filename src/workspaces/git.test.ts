import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeTrapped, traps } from '../../test/support/trapped-repository.ts'
import { git, makeRepository, openFiles, refusalOf, tempFolder } from '../../test/support/workspace-files.ts'
import { openGit, reasonOf } from './git.ts'
import { safeSettings } from './git-settings.ts'
import { canEnclose } from './inside.ts'
import { repositoryAt } from './repository.ts'

const isRoot = process.getuid?.() === 0
const hasBubblewrap = await canEnclose()

describe('what a repository names is not run', () => {
  it.each(traps)('though git itself would: $name', (trap) => {
    const { repository, arm, change, sprung } = makeTrapped()
    arm(trap)
    if (trap.spring[0] !== 'merge') change()
    try {
      git(repository, ...trap.spring)
    } catch {
      // what the command answers does not matter
    }
    rmSync(join(repository, '../spring'), { recursive: true, force: true })
    expect(sprung()).toEqual([trap.name])
  })

  it('by anything done in a worktree', { timeout: 60_000 }, async () => {
    const { repository, arm, change, sprung, forgetSprung } = makeTrapped()
    for (const trap of traps) arm(trap)
    forgetSprung()
    const { workspaces } = openFiles()
    expect(await workspaces.isRepository(repository)).toBe(true)
    const { root, branch, baseRef } = await workspaces.addWorktree({
      repository,
      workspaceId: 'w',
      slug: 'x',
    })
    writeFileSync(join(root, 'a.txt'), 'two\n')
    expect(await workspaces.commit(root, 'Changed')).toMatchObject({ commit: expect.any(String) })
    change(root)
    expect(await workspaces.diff(root, baseRef)).toMatchObject({ truncated: false })
    await workspaces.merge({ root, repository, branch: 'other' })
    await workspaces.merge({ root, repository, branch })
    const asked = { workspaceId: 'w', root, repository, branch }
    const snapshot = await workspaces.trash(asked)
    await workspaces.restore({ ...asked, snapshot })
    expect(sprung()).toEqual([])
  })

  it.runIf(hasBubblewrap)('by anything done behind walls', { timeout: 60_000 }, async () => {
    const { repository, arm, change, sprung, forgetSprung } = makeTrapped()
    for (const trap of traps) arm(trap)
    forgetSprung()
    const { workspaces } = openFiles()
    await workspaces.bring('cloned', { git: repository })
    await workspaces.bring('copied', { path: repository })
    const { root } = workspaces.placeOf('copied')
    change(root)
    expect((await workspaces.diff(root, null)).files.length).toBeGreaterThan(5)
    expect(await workspaces.commit(root, 'Changed')).toMatchObject({ commit: expect.any(String) })
    await workspaces.archive({ root, workspaceId: 'copied', name: 'x' })
    expect(sprung(root)).toEqual([])
  })
})

it('does not run git where settings count only in a worktree', async () => {
  const [repository, mark] = [makeRepository({ 'a.txt': 'a' }), join(tempFolder('sprung'), 'sprung')]
  const file = join(repository, '.git/more')
  git(repository, 'config', '--file', file, 'filter.hidden.smudge', `touch '${mark}'; cat`)
  git(repository, 'config', 'includeIf.gitdir:**/worktrees/**.path', file)
  writeFileSync(join(repository, '.git/info/attributes'), '* filter=hidden\n')
  const made = openFiles().workspaces.addWorktree({ repository, workspaceId: 'w', slug: 'x' })
  expect(await refusalOf(made)).toMatchObject({
    code: 'git_failed',
    message: expect.stringContaining('includeIf'),
  })
  expect(existsSync(mark)).toBe(false)
  git(repository, 'worktree', 'add', '--quiet', join(tempFolder(), 'x'))
  expect(existsSync(mark)).toBe(true)
})

it('leaves what the user has set for all repositories, and overrules the same of this one', () => {
  const set = (scope: string, name: string, value: string) => ({ scope, name, value })
  const safe = new Map(
    safeSettings([
      set('global', 'filter.lfs.clean', 'git-lfs clean'),
      set('global', 'core.sshcommand', 'my-ssh'),
      set('global', 'credential.helper', 'store'),
      set('local', 'filter.lfs.clean', 'evil'),
      set('local', 'filter.lfs.process', 'evil'),
      set('local', 'core.sshcommand', 'evil'),
      set('local', 'credential.helper', '!evil'),
      set('local', 'lfs.customtransfer.x.path', 'evil'),
      set('local', 'lfs.extension.x.clean', 'evil'),
      set('local', 'hook.x.command', 'evil'),
    ]),
  )
  expect([...safe.values()]).not.toContain('evil')
  expect(Object.fromEntries(safe)).toMatchObject({
    'filter.lfs.clean': 'git-lfs clean',
    'core.sshCommand': 'my-ssh',
    'credential.helper': 'store',
  })
  for (const name of [
    'filter.lfs.process',
    'lfs.customtransfer.x.path',
    'lfs.extension.x.clean',
    'hook.x.command',
  ])
    expect(safe.has(name)).toBe(true)
})

describe('what a repository says of its remote is not run', () => {
  const remotes: { name: string; settings: (command: string) => Record<string, string> }[] = [
    {
      name: 'ext::',
      settings: (command) => ({ 'remote.origin.url': `ext::${command}`, 'protocol.ext.allow': 'always' }),
    },
    {
      name: 'remote.origin.uploadpack',
      settings: (command) => ({ 'remote.origin.url': makeRepository(), 'remote.origin.uploadpack': command }),
    },
    {
      name: 'core.sshCommand',
      settings: (command) => ({ 'remote.origin.url': 'ssh://nobody.invalid/x', 'core.sshCommand': command }),
    },
    {
      name: 'core.gitProxy',
      settings: (command) => ({ 'remote.origin.url': 'git://nobody.invalid/x', 'core.gitProxy': command }),
    },
    {
      name: 'core.alternateRefsCommand',
      settings: (command) => ({
        'remote.origin.url': makeRepository(),
        'core.alternateRefsCommand': command,
      }),
    },
  ]

  it.each(remotes)('when the base is fetched: $name', async ({ settings }) => {
    const mark = join(tempFolder('sprung'), 'sprung')
    const command = join(tempFolder('command'), 'command')
    writeFileSync(command, `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 })
    const repository = makeRepository()
    for (const [name, value] of Object.entries(settings(command))) git(repository, 'config', name, value)
    git(repository, 'update-ref', 'refs/remotes/origin/main', 'HEAD')
    const elsewhere = makeRepository({ 'b.txt': 'b' })
    writeFileSync(join(repository, '.git/objects/info/alternates'), join(elsewhere, '.git/objects'))

    const { remarks } = await openFiles().workspaces.addWorktree({ repository, workspaceId: 'w', slug: 'x' })
    expect(existsSync(mark)).toBe(false)
    expect(remarks.length).toBeLessThanOrEqual(1)
    try {
      git(repository, 'fetch', 'origin', 'main')
    } catch {
      // what the command answers does not matter
    }
    expect(existsSync(mark)).toBe(true)
  })

  it('when objects are missing that it promises to have elsewhere', async () => {
    const mark = join(tempFolder('sprung'), 'sprung')
    const repository = makeRepository()
    const settings = {
      'core.repositoryFormatVersion': '1',
      'extensions.partialClone': 'elsewhere',
      'remote.elsewhere.promisor': 'true',
      'remote.elsewhere.url': makeRepository({ 'b.txt': 'b' }),
      'remote.elsewhere.uploadpack': `touch '${mark}'; git-upload-pack`,
    }
    for (const [name, value] of Object.entries(settings)) git(repository, 'config', name, value)
    const blob = git(repository, 'rev-parse', 'HEAD:a.txt')
    rmSync(join(repository, '.git/objects', blob.slice(0, 2), blob.slice(2)))
    writeFileSync(join(repository, 'a.txt'), 'two\n')
    const { workspaces } = openFiles()
    await workspaces.diff(repository, null).catch(() => {})
    await workspaces.commit(repository, 'x').catch(() => {})
    expect(existsSync(mark)).toBe(false)
    expect(() => git(repository, 'show', blob)).toThrow('Command failed')
    expect(existsSync(mark)).toBe(true)
  })
})

describe('where a repository says that its parts are does not count', () => {
  it('core.worktree', async () => {
    const [repository, elsewhere] = [makeRepository(), tempFolder('elsewhere')]
    writeFileSync(join(elsewhere, 'secret.txt'), 'secret')
    git(repository, 'config', 'core.worktree', elsewhere)
    writeFileSync(join(repository, 'a.txt'), 'two\n')
    const { files } = await openFiles().workspaces.diff(repository, null)
    expect(files).toEqual([{ path: 'a.txt', change: 'modified', additions: 1, deletions: 1 }])
  })

  it('a .git that is a file, or a link', async () => {
    const [repository, elsewhere] = [makeRepository(), makeRepository({ 'secret.txt': 'secret' })]
    const { workspaces } = openFiles()
    for (const point of [
      () => writeFileSync(join(repository, '.git'), `gitdir: ${elsewhere}/.git\n`),
      () => symlinkSync(join(elsewhere, '.git'), join(repository, '.git')),
    ]) {
      rmSync(join(repository, '.git'), { recursive: true })
      point()
      expect(await refusalOf(workspaces.diff(repository, null))).toMatchObject({ code: 'not_a_repository' })
      expect(await workspaces.isRepository(repository)).toBe(false)
      expect(await refusalOf(workspaces.bring('x', { git: repository }))).toMatchObject({
        code: 'not_a_repository',
      })
    }
  })

  it('the .git of a worktree of ours, which its agent can write', async () => {
    const [repository, elsewhere] = [makeRepository(), makeRepository({ 'secret.txt': 'secret' })]
    const { workspaces } = openFiles()
    const { root } = await workspaces.addWorktree({ repository, workspaceId: 'w', slug: 'x' })
    writeFileSync(join(root, '.git'), `gitdir: ${elsewhere}/.git\n`)
    writeFileSync(join(root, 'a.txt'), 'two\n')
    expect((await workspaces.diff(root, null)).files.map(({ path }) => path)).toEqual(['a.txt'])
    await workspaces.commit(root, 'Ours')
    expect(git(repository, 'log', '-1', '--format=%s', 'signalbox/x')).toBe('Ours')
  })
})

describe('behind walls git', () => {
  it.runIf(hasBubblewrap)('cannot write through a link in the git folder', async () => {
    const { workspaces } = openFiles()
    await workspaces.bring('w', { git: makeRepository() })
    const { root } = workspaces.placeOf('w')
    const outside = join(tempFolder('outside'), 'file')
    writeFileSync(outside, 'mine', { mode: 0o666 })
    rmSync(join(root, '.git/index'))
    symlinkSync(outside, join(root, '.git/index'))
    writeFileSync(join(root, 'a.txt'), 'two\n')
    await workspaces.diff(root, null).catch(() => {})
    await workspaces.commit(root, 'x').catch(() => {})
    expect(execFileSync('cat', [outside], { encoding: 'utf8' })).toBe('mine')
  })

  it('is refused without bubblewrap where it could do harm', async () => {
    const repository = makeRepository()
    mkdirSync(join(repository, '.git/logs'), { recursive: true })
    renameSync(join(repository, '.git/logs'), join(repository, 'logs'))
    symlinkSync(join(repository, 'logs'), join(repository, '.git/logs'))
    const opened = openGit(repositoryAt(repository, true), { isEnclosed: false })
    const { code, message } = await refusalOf(opened)
    expect(code).toBe('git_failed')
    expect(message).toMatch(isRoot ? /not run as root/ : /There is a link/)
  })
})

it('tells what git says, in one line and without a password', async () => {
  const { workspaces } = openFiles()
  const { message } = await refusalOf(workspaces.bring('w', { git: 'http://me:hunter2@127.0.0.1:1/x.git' }))
  expect(message).toMatch(
    /^Git could not clone http:\/\/127\.0\.0\.1:1\/x\.git: unable to access .*Failed to connect/,
  )
  expect(message).not.toContain('hunter2')
})

it('tells no token that git has put before a host by its own settings', () => {
  const stderr = "fatal: unable to access 'https://t0ken@host/x.git/': and 'https://me:hunter2@host/'"
  expect(reasonOf({ code: 128, stderr, isLate: false, isCut: false })).toBe(
    "unable to access 'https://***@host/x.git/': and 'https://me:***@host/'",
  )
})
