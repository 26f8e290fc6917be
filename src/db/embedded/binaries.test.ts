import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { copyBinaries, prepareBinaries, restoreLinks } from './binaries.ts'

/** As npm unpacks it: the list of links, and none of them. */
function newPackage(): { folder: string; native: string } {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-package-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const native = join(folder, 'native')
  mkdirSync(join(native, 'lib'), { recursive: true })
  mkdirSync(join(native, 'bin'))
  writeFileSync(join(native, 'bin/postgres'), 'a program', { mode: 0o755 })
  writeFileSync(join(native, 'lib/libpq.so.5.18'), 'a library')
  const links = ['libpq.so.5', 'libpq.so'].map((name) => ({
    source: 'native/lib/libpq.so.5.18',
    target: `native/lib/${name}`,
  }))
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links))
  return { folder, native }
}

it('makes the links that npm lost, relative ones, also when several do it at once', async () => {
  const { native } = newPackage()
  const all = await Promise.all([1, 2, 3, 4].map(() => restoreLinks(native)))
  expect(all).toEqual([true, true, true, true])
  expect(readlinkSync(join(native, 'lib/libpq.so.5'))).toBe('libpq.so.5.18')
  expect(readFileSync(join(native, 'lib/libpq.so'), 'utf8')).toBe('a library')
  expect(await restoreLinks(native)).toBe(true)
})

it('says when a link is missing and cannot be made', async () => {
  const { native } = newPackage()
  rmSync(join(native, 'lib'), { recursive: true })
  expect(await restoreLinks(native)).toBe(false)
})

it('copies everything whole, with its links and rights, also when several do it at once', async () => {
  const { folder, native } = newPackage()
  await restoreLinks(native)
  const target = join(folder, 'deep/copies/18')
  const copies = await Promise.all([1, 2, 3].map(() => copyBinaries(native, target)))
  expect(copies).toEqual(Array(3).fill(join(target, 'native')))
  expect(readlinkSync(join(target, 'native/lib/libpq.so'))).toBe('libpq.so.5.18')
  expect(statSync(join(target, 'native/bin/postgres')).mode & 0o777).toBe(0o755)
  expect(readdirSync(join(folder, 'deep/copies'))).toEqual(['18'])
})

it('finds programs that run on this machine', async () => {
  const { folder } = newPackage()
  const native = await prepareBinaries(folder)
  for (const name of ['postgres', 'initdb'])
    expect(execFileSync(join(native, 'bin', name), ['--version'], { encoding: 'utf8' })).toContain(
      '(PostgreSQL) 18.',
    )
})
