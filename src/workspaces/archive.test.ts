import { createHash, randomBytes } from 'node:crypto'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeRepository, openFiles, refusalOf, tempFolder } from '../../test/support/workspace-files.ts'
import { canEnclose } from './inside.ts'

const hasBubblewrap = await canEnclose()

/** Everything that can be told of the files below a folder. */
const told = (folder: string) =>
  execFileSync('find', ['.', '-printf', '%P|%y|%m|%l|%s|%TY-%Tm-%Td %TH:%TM:%TS|%n\\0'], {
    cwd: folder,
    encoding: 'latin1',
  })
    .split('\0')
    .filter((line) => !line.startsWith('|'))
    .toSorted()

const saved = (workspaces: ReturnType<typeof openFiles>['workspaces'], root: string) =>
  workspaces.archive({ root, workspaceId: 'w', name: 'My work' })

async function begin() {
  const { home, workspaces } = openFiles()
  await workspaces.bring('w', null)
  return { home, workspaces, root: workspaces.placeOf('w').root }
}

it('keeps modes, links, times, empty folders and names of any bytes, there and back', async () => {
  const { home, workspaces, root } = await begin()
  const folder = tempFolder()
  mkdirSync(join(folder, 'empty'), { mode: 0o711 })
  mkdirSync(join(folder, 'shut'))
  writeFileSync(join(folder, 'shut/inside'), 'x')
  for (const mode of [0o444, 0o600, 0o666, 0o777]) {
    writeFileSync(join(folder, `mode-${mode}`), 'x')
    chmodSync(join(folder, `mode-${mode}`), mode)
  }
  symlinkSync('/etc/passwd', join(folder, 'out'))
  linkSync(join(folder, 'mode-511'), join(folder, 'same'))
  writeFileSync(
    Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x61, 0x0a, 0xff, 0x62])]),
    'any bytes',
  )
  writeFileSync(join(folder, 'long'.repeat(60)), 'x')
  const sparse = openSync(join(folder, 'sparse'), 'w')
  ftruncateSync(sparse, 5_000_000_000)
  closeSync(sparse)
  utimesSync(join(folder, 'same'), 1_600_000_000.123, 1_600_000_000.123)
  utimesSync(join(folder, 'empty'), 1_500_000_000, 1_500_000_000)
  chmodSync(join(folder, 'shut'), 0o500)
  await workspaces.bring('copied', { path: folder })
  const archive = await saved(workspaces, workspaces.placeOf('copied').root)
  expect(archive).toMatchObject({
    name: expect.stringMatching(/^my-work-\d{14}-\w{6}\.tar\.zst$/),
    remarks: [],
  })
  const file = join(home, 'archives', archive.name)
  expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(archive.sha256)
  expect(statSync(file)).toMatchObject({ size: archive.bytes })
  expect(statSync(file).mode & 0o777).toBe(0o600)

  await workspaces.bring('again', { archive: archive.name })
  const back = workspaces.placeOf('again').root
  expect(told(back)).toEqual(told(folder))
  expect(statSync(join(back, 'sparse')).blocks).toBeLessThan(1000)
  expect(root).not.toBe(back)
  chmodSync(join(folder, 'shut'), 0o700)
})

it('is listed, opened and removed by its name, and by nothing else', async () => {
  const { home, workspaces, root } = await begin()
  expect(await workspaces.archives()).toEqual([])
  const { remarks, ...archive } = await saved(workspaces, root)
  expect(remarks).toEqual([])
  expect(await workspaces.archives()).toEqual([archive])
  const { bytes, stream } = await workspaces.openArchive(archive.name)
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(Buffer.from(piece))
  expect(Buffer.concat(pieces)).toHaveLength(bytes)
  symlinkSync('/etc/passwd', join(home, 'archives/link.tar.zst'))
  for (const name of [
    'link.tar.zst',
    '../token',
    '../archives/x.tar.zst',
    `${archive.name}.json`,
    'none.tar.zst',
    '',
  ])
    expect((await refusalOf(workspaces.openArchive(name))).code).toMatch(/archive_not_found|does_not_fit/)
  await workspaces.removeArchive(archive.name)
  expect(await workspaces.archives()).toEqual([])
  expect(await refusalOf(workspaces.removeArchive(archive.name))).toMatchObject({ code: 'archive_not_found' })
})

it('of a worktree has its files, and not what names its repository', async () => {
  const { workspaces } = openFiles()
  const { root } = await workspaces.addWorktree({ repository: makeRepository(), workspaceId: 'w', slug: 'x' })
  const { name } = await saved(workspaces, root)
  await workspaces.bring('again', { archive: name })
  expect(readdirSync(workspaces.placeOf('again').root)).toEqual(['a.txt'])
})

it('tells of a file that became shorter while it was read', async () => {
  const { home, workspaces, root } = await begin()
  writeFileSync(join(root, 'large'), randomBytes(48 * 1024 * 1024))
  const saving = saved(workspaces, root)
  const hasBegun = () =>
    readdirSync(join(home, 'drafts')).some((draft) => {
      const file = join(home, 'drafts', draft, 'archive')
      return existsSync(file) && statSync(file).size > 0
    })
  await expect.poll(hasBegun, { timeout: 20_000, interval: 1 }).toBe(true)
  truncateSync(join(root, 'large'), 10)
  expect((await saving).remarks).toEqual(['large became shorter while it was read.'])
})

it('is refused, and names what those inside cannot read', async () => {
  const { home, workspaces, root } = await begin()
  writeFileSync(join(root, 'shut.txt'), 'x', { mode: 0 })
  const { code, message } = await refusalOf(saved(workspaces, root))
  expect([code, message]).toEqual([
    'workspace_failed',
    expect.stringContaining('./shut.txt: Cannot open: Permission denied'),
  ])
  expect(await workspaces.archives()).toEqual([])
  expect(readdirSync(join(home, 'drafts'))).toEqual([])
})

it.each(hasBubblewrap ? [true, false] : [false])(
  'reads nothing outside while folders are swapped for links, behind walls: %s',
  async (isEnclosed) => {
    const { workspaces } = openFiles({ isEnclosed })
    await workspaces.bring('w', null)
    const { root } = workspaces.placeOf('w')
    const outside = tempFolder('outside')
    chmodSync(outside, 0o755)
    mkdirSync(join(root, 'real'))
    for (let at = 0; at < 300; at += 1) {
      writeFileSync(join(outside, `file-${at}`), 'SECRET')
      writeFileSync(join(root, 'real', `file-${at}`), 'harmless')
    }
    symlinkSync(outside, join(root, 'link'))
    const swap = `const { renameSync } = require('node:fs'); process.chdir(process.argv[1]); process.stdout.write('up')
    for (;;) { renameSync('real', 'x'); renameSync('link', 'real'); renameSync('real', 'link'); renameSync('x', 'real') }`
    const swapper = spawn(process.execPath, ['-e', swap, root], { stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      await once(swapper.stdout, 'data')
      let saves = 0
      for (let at = 0; at < 10; at += 1) {
        // What vanishes and comes back under its hands may be too much for it; it must only never look elsewhere.
        const archive = await saved(workspaces, root).catch(() => undefined)
        if (!archive) continue
        saves += 1
        await workspaces.bring(`again-${at}`, { archive: archive.name })
        const back = workspaces.placeOf(`again-${at}`).root
        expect(spawnSync('grep', ['-rl', 'SECRET', back], { encoding: 'utf8' }).stdout).toBe('')
      }
      expect(saves).toBeGreaterThan(0)
    } finally {
      swapper.kill('SIGKILL')
      await once(swapper, 'close')
    }
  },
)
