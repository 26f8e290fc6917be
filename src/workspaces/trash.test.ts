import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  commitFiles,
  git,
  makeRepository,
  openFiles,
  refusalOf,
  tempFolder,
} from '../../test/support/workspace-files.ts'

const told = (folder: string) =>
  execFileSync(
    'find',
    ['.', '-mindepth', '1', '-path', './.git', '-prune', '-o', '-printf', '%P|%y|%m|%l|%T@|%u\\n'],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  )
const stateOf = (root: string) => [
  told(root),
  git(root, 'status', '--porcelain', '--branch', '--ignored'),
  git(root, 'diff', '--cached'),
  git(root, 'diff'),
]

/** A worktree with something of each kind that could be lost. */
async function makeWorktree(home = tempFolder('home')) {
  const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': 'ignored\n' })
  const { workspaces } = openFiles({ home })
  const { root, branch } = await workspaces.addWorktree({ repository, workspaceId: 'w', slug: 'x' })
  commitFiles(root, { 'committed.txt': 'c\n' })
  writeFileSync(join(root, 'a.txt'), 'staged\n')
  git(root, 'add', 'a.txt')
  writeFileSync(join(root, 'a.txt'), 'and changed again\n')
  writeFileSync(join(root, 'untracked.txt'), 'u\n', { mode: 0o600 })
  writeFileSync(join(root, 'ignored'), 'i\n')
  symlinkSync('/etc', join(root, 'link'))
  mkdirSync(join(root, 'empty'))
  return { home, repository, workspaces, root, branch, asked: { workspaceId: 'w', root, repository, branch } }
}

describe('a worktree', () => {
  it('goes into the trash and comes back as it was, whatever happened to the repository meanwhile', async () => {
    const { home, repository, workspaces, root, branch, asked } = await makeWorktree()
    const before = stateOf(root)
    const snapshot = await workspaces.trash(asked)
    expect(existsSync(root)).toBe(false)
    expect(git(repository, 'worktree', 'list').split('\n')).toHaveLength(1)
    git(repository, 'branch', '--quiet', '-D', branch)
    git(repository, 'reflog', 'expire', '--expire=now', '--all')
    git(repository, 'gc', '--quiet', '--prune=now')
    await workspaces.restore({ ...asked, snapshot })
    expect(stateOf(root)).toEqual(before)
    expect(git(root, 'show', ':a.txt')).toBe('staged')
    expect(git(root, 'fsck', '--connectivity-only')).not.toContain('missing')
    expect(git(repository, 'for-each-ref', 'refs/signalbox')).toBe('')
    expect(readdirSync(join(home, 'trash'))).toEqual([])
    expect(await workspaces.commit(root, 'Goes on')).toMatchObject({ branch })
  })

  it('comes back when another has taken its place among the worktrees of git', async () => {
    const { repository, workspaces, root, asked } = await makeWorktree()
    const before = stateOf(root)
    const snapshot = await workspaces.trash(asked)
    const other = join(tempFolder(), 'x')
    git(repository, 'worktree', 'add', '--quiet', '--detach', other)
    await workspaces.restore({ ...asked, snapshot })
    expect(stateOf(root)).toEqual(before)
    expect(git(other, 'status', '--porcelain')).toBe('')
  })

  it('is not put where something else is now', async () => {
    const { workspaces, root, asked } = await makeWorktree()
    const snapshot = await workspaces.trash(asked)
    mkdirSync(root)
    expect(await refusalOf(workspaces.restore({ ...asked, snapshot }))).toMatchObject({
      code: 'nothing_to_restore',
    })
    rmSync(root, { recursive: true })
    await workspaces.restore({ ...asked, snapshot })
    expect(existsSync(join(root, 'untracked.txt'))).toBe(true)
  })

  it('is gone for good when it is forgotten, but for its branch', async () => {
    const { home, repository, workspaces, branch, asked } = await makeWorktree()
    const snapshot = await workspaces.trash(asked)
    await workspaces.forget(snapshot)
    await workspaces.forget(snapshot)
    expect(readdirSync(join(home, 'trash'))).toEqual([])
    expect(git(repository, 'for-each-ref', '--format=%(refname)')).toBe(
      `refs/heads/main\nrefs/heads/${branch}`,
    )
    expect(await refusalOf(workspaces.restore({ ...asked, snapshot }))).toMatchObject({
      code: 'nothing_to_restore',
    })
  })

  it('comes back with its files when its repository is gone', async () => {
    const { repository, workspaces, root, asked } = await makeWorktree()
    const before = told(root)
    const snapshot = await workspaces.trash(asked)
    rmSync(repository, { recursive: true })
    await workspaces.restore({ ...asked, snapshot })
    expect(told(root)).toEqual(before)
  })
})

describe('a workspace behind walls', () => {
  it('goes into the trash with its homes, and comes back as it was', async () => {
    const { workspaces } = openFiles()
    await workspaces.bring('w', { git: makeRepository() })
    const { root, folder, homes } = workspaces.placeOf('w')
    writeFileSync(join(homes, 'history'), 'h')
    const before = told(folder)
    const asked = { workspaceId: 'w', root, repository: null, branch: null }
    const snapshot = await workspaces.trash(asked)
    expect(existsSync(folder)).toBe(false)
    expect(await workspaces.trash(asked)).toBe(snapshot)
    await workspaces.restore({ ...asked, snapshot })
    await workspaces.restore({ ...asked, snapshot })
    expect(told(folder)).toBe(before)
  })
})

it("never moves a folder of the user's own", async () => {
  const { home, workspaces } = openFiles()
  const folder = tempFolder()
  for (const root of [folder, '/', home, join(home, 'worktrees/../../x'), join(home, 'worktrees')]) {
    const asked = { workspaceId: 'w', root, repository: null, branch: null }
    expect(await refusalOf(workspaces.trash(asked))).toMatchObject({ code: 'does_not_fit' })
  }
  expect(existsSync(folder)).toBe(true)
})

describe('killed at any moment', () => {
  /** Runs it in a process that kills itself before its n-th change to the disk. False when it came to its end. */
  function runKilled(verb: 'trash' | 'restore', home: string, asked: object, at: number): boolean {
    const child = spawnSync(
      process.execPath,
      [
        '--import',
        join(import.meta.dirname, '../../test/support/killed-at.ts'),
        join(import.meta.dirname, '../../test/support/trash-once.ts'),
      ],
      {
        env: { ...process.env, KILLED_AT: String(at), ASKED: JSON.stringify({ verb, home, asked }) },
        encoding: 'utf8',
      },
    )
    if (child.signal !== 'SIGKILL' && child.status !== 0) throw new Error(child.stderr)
    return child.signal === 'SIGKILL'
  }

  it.each(['trash', 'restore'] as const)(
    '%s leaves the thing or its snapshot, and goes on',
    { timeout: 180_000 },
    async (verb) => {
      const { home, root, workspaces, asked } = await makeWorktree()
      const before = stateOf(root)
      let kills = 0
      for (let at = 1; ; at += 1) {
        const snapshot = 'w'
        if (verb === 'restore') await workspaces.trash(asked)
        const wasKilled = runKilled(verb, home, verb === 'trash' ? asked : { ...asked, snapshot }, at)
        const [isThere, isSaved] = [root, join(home, 'trash/w/files')].map((path) => existsSync(path))
        expect([isThere, isSaved].filter(Boolean)).toHaveLength(1)
        expect(told(isThere ? root : join(home, 'trash/w/files'))).toBe(before[0])
        if (verb === 'trash') await workspaces.trash(asked)
        await workspaces.restore({ ...asked, snapshot })
        expect(stateOf(root)).toEqual(before)
        if (!wasKilled) break
        kills += 1
      }
      expect(kills).toBeGreaterThan(5)
    },
  )
})
