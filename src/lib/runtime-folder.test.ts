import { chmodSync, mkdtempSync, rmSync, rmdirSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { prepareRuntimeFolder } from './runtime-folder.ts'

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  return home
}

it('is private, short, and the same every time for one home', () => {
  const home = newHome()
  const folder = prepareRuntimeFolder(home)
  onTestFinished(() => rmdirSync(folder))
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(folder.length).toBeLessThanOrEqual(64)
  expect(prepareRuntimeFolder(home)).toBe(folder)
  const link = `${home}-link`
  symlinkSync(home, link)
  onTestFinished(() => rmSync(link))
  expect(prepareRuntimeFolder(link)).toBe(folder)
})

it('differs between homes', () => {
  const folders = [newHome(), newHome()].map(prepareRuntimeFolder)
  onTestFinished(() => folders.forEach((folder) => rmdirSync(folder)))
  expect(folders[0]).not.toBe(folders[1])
})

it('is another one when its name is taken by a link or is open to others', () => {
  const home = newHome()
  const expected = prepareRuntimeFolder(home)
  rmdirSync(expected)
  symlinkSync(home, expected)
  const second = prepareRuntimeFolder(home)
  rmSync(expected)
  expect(second).toBe(`${expected}-1`)
  chmodSync(second, 0o755)
  symlinkSync(home, expected)
  const third = prepareRuntimeFolder(home)
  rmSync(expected)
  rmdirSync(second)
  rmdirSync(third)
  expect(third).toBe(`${expected}-2`)
})
