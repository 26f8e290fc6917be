import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  commitFiles,
  git,
  makeRepository,
  openFiles,
  refusalOf,
  tempFolder,
} from '../../test/support/workspace-files.ts'

const asked = (repository: string, workspaceId = 'w1', slug = 'Fix the login!') => ({
  repository,
  workspaceId,
  slug,
})

it('is outside the repository, on a branch of its own, at the last commit', async () => {
  const repository = makeRepository()
  const { home, workspaces } = openFiles()
  const { root, branch, baseRef, remarks } = await workspaces.addWorktree(asked(repository))
  expect(root.startsWith(join(home, 'worktrees'))).toBe(true)
  expect(branch).toBe('signalbox/fix-the-login')
  expect(baseRef).toBe(git(repository, 'rev-parse', 'HEAD'))
  expect(git(root, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe(branch)
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n')
  expect(git(repository, 'status', '--porcelain')).toBe('')
  expect(remarks).toEqual([])
})

it('is the same one for the same workspace, and another for another, also when both are asked for at once', async () => {
  const repository = makeRepository()
  const { workspaces } = openFiles()
  const [one, other, again] = await Promise.all([
    workspaces.addWorktree(asked(repository)),
    workspaces.addWorktree(asked(repository, 'w2')),
    workspaces.addWorktree(asked(repository)),
  ])
  expect(again).toEqual(one)
  expect([one.branch, other.branch]).toEqual(['signalbox/fix-the-login', 'signalbox/fix-the-login-2'])
  writeFileSync(join(one.root, 'only-here.txt'), '')
  expect(existsSync(join(other.root, 'only-here.txt'))).toBe(false)
  expect(await workspaces.addWorktree(asked(repository))).toEqual(one)
  expect(existsSync(join(one.root, 'only-here.txt'))).toBe(true)
})

it('begins from the default branch of the remote as it is now', async () => {
  const remote = makeRepository()
  const repository = tempFolder('clone')
  git(repository, 'clone', '--quiet', remote, '.')
  git(repository, 'checkout', '--quiet', '-b', 'something-else')
  const newest = commitFiles(remote, { 'b.txt': 'b' })
  const { baseRef, remarks } = await openFiles().workspaces.addWorktree(asked(repository))
  expect(baseRef).toBe(newest)
  expect(remarks).toEqual([])
})

it('begins from what is here when that is ahead of the remote, or the remote cannot be reached, which is told', async () => {
  const remote = makeRepository()
  const repository = tempFolder('clone')
  git(repository, 'clone', '--quiet', remote, '.')
  const ahead = commitFiles(repository, { 'b.txt': 'b' })
  const { workspaces } = openFiles()
  expect(await workspaces.addWorktree(asked(repository))).toMatchObject({ baseRef: ahead, remarks: [] })
  rmSync(remote, { recursive: true })
  const { baseRef, remarks } = await workspaces.addWorktree(asked(repository, 'w2'))
  expect(baseRef).toBe(ahead)
  expect(remarks).toEqual([
    expect.stringMatching(/^The base could not be fetched, so it is as old as the last fetch: /),
  ])
})

it('does not let the repository say which branches a fetch writes', async () => {
  const remote = makeRepository()
  const repository = tempFolder('clone')
  git(repository, 'clone', '--quiet', remote, '.')
  git(repository, 'config', 'remote.origin.fetch', '+refs/heads/*:refs/heads/stolen-*')
  commitFiles(remote, { 'b.txt': 'b' })
  await openFiles().workspaces.addWorktree(asked(repository))
  expect(git(repository, 'branch', '--list', 'stolen-*')).toBe('')
})

it('gets what .worktreeinclude names of what git does not know', async () => {
  const repository = makeRepository({ 'a.txt': 'a', '.gitignore': '.env*\nsecrets/\nlink\n' })
  const outside = tempFolder('outside')
  writeFileSync(join(outside, 'secret.txt'), 'secret')
  mkdirSync(join(repository, 'secrets'))
  writeFileSync(join(repository, 'secrets/key'), 'key', { mode: 0o600 })
  writeFileSync(join(repository, '.env'), 'A=1')
  writeFileSync(join(repository, '.env.local'), 'A=2')
  symlinkSync(join(outside, 'secret.txt'), join(repository, 'link'))
  symlinkSync(outside, join(repository, 'linked-folder'))
  writeFileSync(
    join(repository, '.worktreeinclude'),
    '# what is needed\n.env\nsecrets/\nlink\nlinked-folder/\n',
  )
  const { root, remarks } = await openFiles().workspaces.addWorktree(asked(repository))
  expect(readFileSync(join(root, '.env'), 'utf8')).toBe('A=1')
  expect(existsSync(join(root, '.env.local'))).toBe(false)
  expect(lstatSync(join(root, 'secrets/key')).mode & 0o777).toBe(0o600)
  expect(readlinkSync(join(root, 'link'))).toBe(join(outside, 'secret.txt'))
  expect(existsSync(join(root, 'linked-folder'))).toBe(false)
  expect(remarks).toEqual([])
})

it('does not copy into a folder that is a link at the base', async () => {
  const outside = tempFolder('outside')
  const repository = makeRepository({ 'a.txt': 'a', '.gitignore': '*.env\n' })
  symlinkSync(outside, join(repository, 'settings'))
  git(repository, 'add', '--all')
  git(repository, 'commit', '--quiet', '--message', 'A link')
  rmSync(join(repository, 'settings'))
  mkdirSync(join(repository, 'settings'))
  writeFileSync(join(repository, 'settings/my.env'), 'A=1')
  writeFileSync(join(repository, '.worktreeinclude'), '*.env\n')
  const { remarks } = await openFiles().workspaces.addWorktree(asked(repository))
  expect(existsSync(join(outside, 'my.env'))).toBe(false)
  expect(remarks).toEqual(['settings/my.env was not copied: a folder on the way is a link'])
})

it('tells what the repository says of itself, as it is committed', async () => {
  const settings = {
    setup: ['npm ci', 'npm run build'],
    run: { command: 'npm run dev', port: 8000 },
    teardown: 'true',
  }
  const repository = makeRepository({ 'signalbox.json': JSON.stringify(settings) })
  writeFileSync(join(repository, 'signalbox.json'), '{"setup": "not committed"}')
  const worktree = await openFiles().workspaces.addWorktree(asked(repository))
  expect(worktree.settings).toEqual({
    setup: 'npm ci\nnpm run build',
    app: { command: 'npm run dev', port: 8000 },
    teardown: 'true',
  })
})

it('is made again after a crash half-way, and its name is free again after a failure', async () => {
  const repository = makeRepository()
  const { home, workspaces } = openFiles()
  const made = await workspaces.addWorktree(asked(repository))
  const [records] = [join(home, 'worktree-records')]
  const file = join(records, `${made.root.split('/').slice(-2).join('+')}.json`)
  // As if it had died before it noted that the worktree was finished.
  writeFileSync(
    file,
    JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), gitDir: null, baseRef: null }),
  )
  rmSync(join(made.root, 'a.txt'))
  const again = await workspaces.addWorktree(asked(repository))
  expect(again).toEqual(made)
  expect(readFileSync(join(made.root, 'a.txt'), 'utf8')).toBe('one\n')
})

it('leaves alone the worktrees of others that are not there at present', async () => {
  const repository = makeRepository()
  const away = join(tempFolder(), 'away')
  git(repository, 'worktree', 'add', '--quiet', away)
  rmSync(away, { recursive: true })
  const { workspaces } = openFiles()
  const { root } = await workspaces.addWorktree(asked(repository))
  rmSync(root, { recursive: true })
  await workspaces.addWorktree(asked(repository))
  expect(git(repository, 'worktree', 'list')).toContain(away)
})

it('comes back with its branch when somebody has removed its folder', async () => {
  const repository = makeRepository()
  const { workspaces } = openFiles()
  const { root } = await workspaces.addWorktree(asked(repository))
  writeFileSync(join(root, 'b.txt'), 'b')
  await workspaces.commit(root, 'More')
  rmSync(root, { recursive: true })
  await workspaces.addWorktree(asked(repository))
  expect(readFileSync(join(root, 'b.txt'), 'utf8')).toBe('b')
})

it('is refused for what is no repository, or has no commit', async () => {
  const { workspaces } = openFiles()
  const folder = tempFolder()
  expect(await workspaces.isRepository(folder)).toBe(false)
  expect(await refusalOf(workspaces.addWorktree(asked(folder)))).toMatchObject({ code: 'not_a_repository' })
  git(folder, 'init', '--quiet', '.')
  expect(await workspaces.isRepository(folder)).toBe(false)
  expect(await refusalOf(workspaces.addWorktree(asked(folder)))).toMatchObject({ code: 'not_a_repository' })
  mkdirSync(join(folder, 'below'))
  expect(await workspaces.isRepository(join(folder, 'below'))).toBe(false)
})
