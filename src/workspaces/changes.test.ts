import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
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

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}\n`).join('')

describe('a diff', () => {
  it('has what is committed since the base, what is not, and what git does not know yet', async () => {
    const repository = makeRepository({
      'moved.txt': lines(30),
      'changed.txt': 'a\n',
      'gone.txt': 'was here\n',
      bin: '\0\0',
    })
    const { workspaces } = openFiles()
    const { root, baseRef, branch } = await workspaces.addWorktree({
      repository,
      workspaceId: 'w',
      slug: 'x',
    })
    commitFiles(root, { 'committed.txt': 'a\n' })
    renameSync(join(root, 'moved.txt'), join(root, 'to here.txt'))
    writeFileSync(join(root, 'changed.txt'), 'a\nb\n')
    writeFileSync(join(root, 'bin'), '\0\x01')
    writeFileSync(join(root, 'new\nline.txt'), 'x\n')
    rmSync(join(root, 'gone.txt'))
    const before = git(root, 'status', '--porcelain')
    const diff = await workspaces.diff(root, baseRef)
    expect(diff).toMatchObject({ branch, baseRef, truncated: false, mergesInto: 'main', uncommitted: 6 })
    expect(diff.files).toEqual([
      { path: 'bin', change: 'modified', additions: null, deletions: null },
      { path: 'changed.txt', change: 'modified', additions: 1, deletions: 0 },
      { path: 'committed.txt', change: 'added', additions: 1, deletions: 0 },
      { path: 'gone.txt', change: 'deleted', additions: 0, deletions: 1 },
      { path: 'new\nline.txt', change: 'untracked', additions: 1, deletions: 0 },
      { path: 'to here.txt', change: 'renamed', additions: 0, deletions: 0 },
    ])
    expect(diff.diff).toContain('rename from moved.txt')
    expect(diff.diff).toContain('Binary files a/bin and b/bin differ')
    expect(git(root, 'status', '--porcelain')).toBe(before)
  })

  it('sees a file that was changed in the moment of the commit, to the same size', async () => {
    const repository = makeRepository()
    git(repository, 'config', 'core.trustCtime', 'false')
    const [file, then] = [join(repository, 'a.txt'), 1_700_000_000]
    utimesSync(file, then, then)
    git(repository, 'add', 'a.txt')
    utimesSync(join(repository, '.git/index'), then, then)
    writeFileSync(file, 'two\n')
    utimesSync(file, then, then)
    expect((await openFiles().workspaces.diff(repository, null)).files).toHaveLength(1)
  })

  it('is of one file alone, by its name and no pattern, when that is asked for', async () => {
    const repository = makeRepository({ 'a.txt': 'a\n', '*.txt': 'star\n', 'c.txt': 'c\n' })
    const { workspaces } = openFiles()
    for (const path of ['a.txt', '*.txt', 'c.txt']) writeFileSync(join(repository, path), 'changed\n')
    for (const path of ['*.txt', 'c.txt']) {
      const { files, diff } = await workspaces.diff(repository, null, path)
      expect(files.map((file) => file.path)).toEqual([path])
      expect(diff.match(/^diff --git/gm)).toHaveLength(1)
    }
    expect((await workspaces.diff(repository, null, 'none')).files).toEqual([])
  })

  it('is against nothing before the first commit', async () => {
    const folder = tempFolder()
    git(folder, 'init', '--quiet', '.')
    writeFileSync(join(folder, 'a'), 'a\n')
    const diff = await openFiles().workspaces.diff(folder, null)
    expect(diff).toMatchObject({ baseRef: null, files: [{ path: 'a', change: 'untracked' }] })
  })

  it('is cut at a line when it is very long', async () => {
    const repository = makeRepository()
    writeFileSync(join(repository, 'long.txt'), 'x'.repeat(99).concat('\n').repeat(30_000))
    const { diff, truncated, files } = await openFiles().workspaces.diff(repository, null)
    expect(truncated).toBe(true)
    expect(diff.length).toBeLessThanOrEqual(1024 * 1024)
    expect(diff.endsWith('x\n')).toBe(true)
    expect(files).toEqual([{ path: 'long.txt', change: 'untracked', additions: 30_000, deletions: 0 }])
  })

  it('says when its base is not there', async () => {
    const repository = makeRepository()
    for (const base of ['0'.repeat(40), '--output=/tmp/x', 'no-such'])
      expect(await refusalOf(openFiles().workspaces.diff(repository, base))).toMatchObject({
        code: 'git_failed',
      })
  })
})

describe('a commit', () => {
  it('takes everything: new, changed, gone, moved, links, modes, and names of any bytes', async () => {
    const repository = makeRepository({ 'a.txt': 'a', 'gone.txt': 'x', folder: 'file' })
    const { workspaces } = openFiles()
    rmSync(join(repository, 'gone.txt'))
    rmSync(join(repository, 'folder'))
    mkdirSync(join(repository, 'folder'))
    writeFileSync(join(repository, 'folder/inside.txt'), 'x')
    chmodSync(join(repository, 'a.txt'), 0o755)
    symlinkSync('nowhere', join(repository, 'link'))
    writeFileSync(Buffer.concat([Buffer.from(`${repository}/`), Buffer.from([0x66, 0xff, 0x0a])]), 'x')
    const { commit, branch } = await workspaces.commit(repository, "Say 'all'\n\nof it")
    expect(branch).toBe('main')
    expect(git(repository, 'status', '--porcelain')).toBe('')
    expect(git(repository, 'log', '-1', '--format=%H%n%B')).toBe(`${commit}\nSay 'all'\n\nof it`)
    expect(git(repository, 'ls-tree', '-r', 'HEAD')).toMatch(
      /100755 blob \w+\ta\.txt\n[^]*120000 blob \w+\tlink/,
    )
    expect(await workspaces.commit(repository, 'Nothing')).toEqual({ commit: null, branch: 'main' })
  })

  it('refuses a file whose filter only the repository names', async () => {
    const repository = makeRepository({ '.gitattributes': '*.key filter=crypt\n', 'a.txt': 'a' })
    git(repository, 'config', 'filter.crypt.clean', 'rev')
    writeFileSync(join(repository, 'my.key'), 'secret')
    const { workspaces } = openFiles()
    const { code, message } = await refusalOf(workspaces.commit(repository, 'x'))
    expect([code, message]).toEqual([
      'git_failed',
      expect.stringMatching(/^my\.key goes through the filter crypt/),
    ])
    rmSync(join(repository, 'my.key'))
    writeFileSync(join(repository, 'a.txt'), 'b')
    expect(await workspaces.commit(repository, 'x')).toMatchObject({ commit: expect.any(String) })
  })
})

describe('a merge', () => {
  const begin = async (files: Record<string, string> = { 'a.txt': 'one\n' }) => {
    const repository = makeRepository(files)
    const { workspaces } = openFiles()
    const { root, branch } = await workspaces.addWorktree({ repository, workspaceId: 'w', slug: 'x' })
    return { repository, workspaces, root, branch, asked: { root, repository, branch } }
  }

  it('moves the branch forward, and the files where it is checked out', async () => {
    const { repository, workspaces, root, asked } = await begin()
    const commit = commitFiles(root, { 'a.txt': 'two\n' })
    expect(await workspaces.merge(asked)).toEqual({
      into: 'main',
      commit,
      wasUpToDate: false,
      uncommitted: 0,
    })
    expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe('two\n')
    expect(git(repository, 'status', '--porcelain')).toBe('')
    expect(await workspaces.merge(asked)).toEqual({ into: 'main', commit, wasUpToDate: true, uncommitted: 0 })
  })

  it('tells how many files have changes that nobody has committed', async () => {
    const { repository, workspaces, root, asked } = await begin()
    writeFileSync(join(root, 'a.txt'), 'changed\n')
    writeFileSync(join(root, 'new.txt'), 'new\n')
    expect(await workspaces.merge(asked)).toMatchObject({ wasUpToDate: true, uncommitted: 2 })
    commitFiles(root, { 'b.txt': 'b\n' })
    writeFileSync(join(root, 'b.txt'), 'and more\n')
    const merged = await workspaces.merge(asked)
    expect(merged).toMatchObject({ wasUpToDate: false })
    expect(merged.uncommitted).toBeGreaterThan(0)
    expect(readFileSync(join(repository, 'b.txt'), 'utf8')).toBe('b\n')
  })

  it('makes a commit of both where both went on', async () => {
    const { repository, workspaces, root, asked } = await begin()
    const theirs = commitFiles(root, { 'b.txt': 'b\n' })
    const ours = commitFiles(repository, { 'c.txt': 'c\n' })
    const { commit } = await workspaces.merge(asked)
    expect(git(repository, 'log', '-1', '--format=%H %P %s', 'main')).toBe(
      `${commit} ${ours} ${theirs} Merge branch 'signalbox/x' into main`,
    )
    expect(git(repository, 'status', '--porcelain')).toBe('')
    expect(readFileSync(join(repository, 'b.txt'), 'utf8')).toBe('b\n')
  })

  it('into a branch that is not checked out leaves the files alone', async () => {
    const { repository, workspaces, root, asked } = await begin()
    git(repository, 'checkout', '--quiet', '-b', 'mine')
    writeFileSync(join(repository, 'a.txt'), 'under way\n')
    const commit = commitFiles(root, { 'b.txt': 'b\n' })
    expect(await workspaces.merge({ ...asked, into: 'main' })).toMatchObject({ commit })
    expect(git(repository, 'rev-parse', 'main')).toBe(commit)
    expect(git(repository, 'status', '--porcelain')).toBe('M a.txt')
  })

  it('names the files of a conflict, and everything is as it was', async () => {
    const { repository, workspaces, root, asked } = await begin()
    commitFiles(root, { 'a.txt': 'theirs\n' })
    const ours = commitFiles(repository, { 'a.txt': 'ours\n' })
    const { code, message, context } = await refusalOf(workspaces.merge(asked))
    expect([code, message]).toEqual(['merge_conflict', expect.stringContaining('the same places of a.txt.')])
    expect(context).toMatchObject({ files: ['a.txt'], into: 'main', where: 'worktree' })
    expect(git(repository, 'rev-parse', 'main')).toBe(ours)
    expect(git(repository, 'status', '--porcelain')).toBe('')
  })

  it.each([
    [
      'changes',
      (repository: string) => writeFileSync(join(repository, 'a.txt'), 'mine'),
      'merge_conflict',
      /not committed: a\.txt\./,
    ],
    [
      'a file in the way',
      (repository: string) => writeFileSync(join(repository, 'b.txt'), 'mine'),
      'git_failed',
      /b\.txt|overwritten/,
    ],
    [
      'a merge under way',
      (repository: string) => writeFileSync(join(repository, '.git/MERGE_HEAD'), ''),
      'merge_conflict',
      /under way/,
    ],
  ])('does not touch a repository with %s', async (_name, dirty, refusal, reason) => {
    const { repository, workspaces, root, asked } = await begin()
    commitFiles(root, { 'a.txt': 'two\n', 'b.txt': 'b\n' })
    dirty(repository)
    const before = [git(repository, 'rev-parse', 'main'), git(repository, 'status', '--porcelain')]
    const { code, message } = await refusalOf(workspaces.merge(asked))
    expect([code, message]).toEqual([refusal, expect.stringMatching(reason)])
    expect([git(repository, 'rev-parse', 'main'), git(repository, 'status', '--porcelain')]).toEqual(before)
  })

  it('is refused into a branch that another worktree has, or that is not there', async () => {
    const { repository, workspaces, root, asked } = await begin()
    commitFiles(root, { 'b.txt': 'b\n' })
    const other = await workspaces.addWorktree({ repository, workspaceId: 'w2', slug: 'y' })
    const { message } = await refusalOf(workspaces.merge({ ...asked, into: other.branch }))
    expect(message).toBe('signalbox/y is checked out in another worktree. Merge it there.')
    expect((await refusalOf(workspaces.merge({ ...asked, into: '--all' }))).message).toBe(
      'There is no branch --all to merge into.',
    )
  })
})
