import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
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
import { insideOwner } from '#lib/inside-owner.ts'

const isRoot = process.getuid?.() === 0

describe('from git', () => {
  it('is a clone of its own, on the branch that is checked out there, and belongs to those inside', async () => {
    const repository = makeRepository({ 'a.txt': 'a', 'signalbox.json': '{"setup": "make"}' })
    const { home, workspaces } = openFiles()
    const brought = await workspaces.bring('w', { git: repository })
    const baseRef = git(repository, 'rev-parse', 'HEAD')
    expect(brought).toEqual({
      branch: 'main',
      baseRef,
      settings: { setup: 'make', teardown: null, app: null },
      remarks: [],
    })
    const { root, homes } = workspaces.placeOf('w')
    const { uid, gid } = insideOwner()
    for (const path of [root, homes, join(root, 'a.txt'), join(root, '.git/HEAD')])
      expect(lstatSync(path)).toMatchObject({ uid, gid })
    expect(existsSync(join(root, '.git/objects/info/alternates'))).toBe(false)
    expect(readdirSync(join(home, 'drafts'))).toEqual([])
    writeFileSync(join(root, 'a.txt'), 'mine now')
    expect(await workspaces.bring('w', { git: repository })).toEqual(brought)
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('mine now')
  })

  it('has the branch, tag or commit that was asked for', async () => {
    const repository = makeRepository()
    const first = git(repository, 'rev-parse', 'HEAD')
    git(repository, 'tag', 'v1')
    git(repository, 'checkout', '--quiet', '-b', 'feature/x')
    const second = commitFiles(repository, { 'b.txt': 'b' })
    git(repository, 'checkout', '--quiet', 'main')
    const { workspaces } = openFiles()
    const bring = (ref: string) =>
      workspaces.bring(`w-${ref.replace('/', '-')}`, { git: `file://${repository}`, ref })
    expect(await bring('feature/x')).toMatchObject({ branch: 'feature/x', baseRef: second })
    expect(await bring('v1')).toMatchObject({ branch: null, baseRef: first })
    expect(await bring(second)).toMatchObject({ branch: null, baseRef: second })
    expect(await refusalOf(bring('nowhere'))).toMatchObject({ code: 'git_failed' })
    expect(await refusalOf(bring('--upload-pack=x'))).toMatchObject({ code: 'does_not_fit' })
  })

  it('may be of a repository without a commit, or without files', async () => {
    const empty = tempFolder()
    git(empty, 'init', '--quiet', '.')
    const bare = tempFolder()
    git(bare, 'clone', '--quiet', '--bare', makeRepository(), '.')
    const { workspaces } = openFiles()
    expect(await workspaces.bring('empty', { git: empty })).toMatchObject({ baseRef: null })
    expect(await workspaces.bring('bare', { git: bare })).toMatchObject({ branch: 'main' })
  })

  it.each([
    'ext::sh -c true',
    '-u x',
    'relative/path',
    'host:path',
    'fd::1',
    'https://',
    '/nowhere',
    'file:///nowhere',
  ])('is refused from %s, and nothing is left', async (address) => {
    const { home, workspaces } = openFiles()
    const { code } = await refusalOf(workspaces.bring('w', { git: address }))
    expect(['does_not_fit', 'not_a_repository', 'git_failed']).toContain(code)
    expect(existsSync(workspaces.placeOf('w').root)).toBe(false)
    expect(readdirSync(join(home, 'drafts'))).toEqual([])
  })
})

describe('from a folder', () => {
  it('is a copy with links as links, and without what is no file', async () => {
    const folder = tempFolder()
    const outside = tempFolder('outside')
    writeFileSync(join(outside, 'secret.txt'), 'secret')
    mkdirSync(join(folder, 'empty'))
    writeFileSync(join(folder, 'run.sh'), 'x', { mode: 0o755 })
    chmodSync(join(folder, 'run.sh'), 0o4755)
    symlinkSync(outside, join(folder, 'out'))
    symlinkSync('/etc/passwd', join(folder, 'passwd'))
    writeFileSync(join(folder, 'signalbox.json'), '{\n  "setup": 1,\n')
    const socket = createServer().listen(join(folder, 'socket'))
    try {
      if (isRoot) execFileSync('mknod', [join(folder, 'device'), 'c', '1', '3'])
      const { workspaces } = openFiles()
      const { remarks } = await workspaces.bring('w', { path: folder })
      const { root } = workspaces.placeOf('w')
      expect(readdirSync(root).toSorted()).toEqual(['empty', 'out', 'passwd', 'run.sh', 'signalbox.json'])
      expect(readlinkSync(join(root, 'out'))).toBe(outside)
      expect(lstatSync(join(root, 'run.sh'))).toMatchObject({ uid: insideOwner().uid, mode: 0o100755 })
      expect(remarks).toEqual([
        'socket is a socket, and was left out.',
        ...(isRoot ? ['device is a device, and was left out.'] : []),
        'signalbox.json is not used: line 3: setup: expected a key in double quotes, but the text ends here.',
      ])
    } finally {
      socket.close()
    }
  })

  it('is refused where it would copy itself, or there is none', async () => {
    const above = tempFolder()
    const home = join(above, 'home')
    mkdirSync(home)
    const { workspaces } = openFiles({ home })
    for (const path of [above, home, '/', join(above, 'nowhere')])
      expect(await refusalOf(workspaces.bring('w', { path }))).toMatchObject({ code: 'does_not_fit' })
  })

  it('is refused, and nothing is left, when it is larger than may be', async () => {
    const folder = tempFolder()
    writeFileSync(join(folder, 'large'), Buffer.alloc(3_000_000))
    const { home, workspaces } = openFiles({ maxBytes: 1_000_000 })
    expect(await refusalOf(workspaces.bring('w', { path: folder }))).toEqual({
      code: 'does_not_fit',
      message: 'Its files take more than the 1 MB that there is room for.',
    })
    expect(existsSync(workspaces.placeOf('w').folder)).toBe(false)
    expect(readdirSync(join(home, 'drafts'))).toEqual([])
  })

  it('is refused while the disk is nearly full', async () => {
    const { workspaces } = openFiles({ minFreeBytes: 1e18 })
    expect(await refusalOf(workspaces.bring('w', null))).toMatchObject({ code: 'disk_full' })
  })
})

it('is empty from nothing', async () => {
  const { workspaces } = openFiles()
  expect(await workspaces.bring('w', null)).toMatchObject({ branch: null, baseRef: null, remarks: [] })
  expect(readdirSync(workspaces.placeOf('w').root)).toEqual([])
  expect(() => workspaces.placeOf('../w')).toThrow('is not the name of anything')
})
