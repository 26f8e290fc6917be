import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { possibleRuntimeFolders } from '#lib/runtime-folder.ts'
import { mountFor as mountBeside } from './program-mounts.ts'

function place(files: Record<string, string>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-mounts-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

const mountFor = (path: string) => mountBeside(path, '/no/home/of/ours')

const manifest = JSON.stringify({ dependencies: { one: '1' }, optionalDependencies: { '@scope/two': '1' } })

test('a package that has all it needs is shown alone, whatever link leads to it', async () => {
  const folder = place({
    'lib/node_modules/@scope/agent/package.json': manifest,
    'lib/node_modules/@scope/agent/bin/agent.js': '',
    'lib/node_modules/@scope/agent/node_modules/one/package.json': '{}',
    'lib/node_modules/other/package.json': '{}',
    'bin/x': '',
  })
  symlinkSync('../lib/node_modules/@scope/agent/bin/agent.js', join(folder, 'bin/agent'))
  expect(await mountFor(join(folder, 'bin/agent'))).toBe(join(folder, 'lib/node_modules/@scope/agent'))
})

test('a package whose needs lie beside it is shown with them', async () => {
  const folder = place({
    'node_modules/agent/package.json': manifest,
    'node_modules/agent/agent.js': '',
    'node_modules/@scope/two/package.json': '{}',
  })
  expect(await mountFor(join(folder, 'node_modules/agent/agent.js'))).toBe(join(folder, 'node_modules'))
})

test('a program that is a file alone is shown alone', async () => {
  const folder = place({ 'versions/1.2.3': '' })
  symlinkSync('versions/1.2.3', join(folder, 'agent'))
  expect(await mountFor(join(folder, 'agent'))).toBe(join(folder, 'versions/1.2.3'))
})

test('a program in a package of its own is shown with that package', async () => {
  const folder = place({
    'agent/package.json': '{"name":"agent"}',
    'agent/dist/package.json': '{"type":"module"}',
    'agent/dist/agent.js': '',
  })
  expect(await mountFor(join(folder, 'agent/dist/agent.js'))).toBe(join(folder, 'agent'))
})

test('nothing is shown of the system, of a home, or of what is not there', async () => {
  expect(await mountFor('/bin/sh')).toBeUndefined()
  expect(await mountFor('/nowhere/agent')).toBeUndefined()
  expect(await mountFor(homedir())).toBeUndefined()
  expect(await mountFor('/')).toBeUndefined()
})

test('nothing is shown of Signalbox’s own home, nor of what it is in', async () => {
  const folder = place({
    'package.json': '{"name":"agent"}',
    'bin/agent.js': '',
    'home/keys/agent': '',
    'home/node_modules/agent/package.json': '{"name":"agent"}',
    'home/node_modules/agent/agent.js': '',
  })
  symlinkSync('home', join(folder, 'link'))
  for (const home of [join(folder, 'home'), join(folder, 'link')]) {
    expect(await mountBeside(join(folder, 'bin/agent.js'), home)).toBe(join(folder, 'bin/agent.js'))
    expect(await mountBeside(join(folder, 'home/keys/agent'), home)).toBeUndefined()
    expect(await mountBeside(join(folder, 'home/node_modules/agent/agent.js'), home)).toBeUndefined()
  }
})

test('nothing is shown of where its sockets are', async () => {
  const home = place({})
  const sockets = possibleRuntimeFolders(home).at(-1)!
  mkdirSync(sockets, { mode: 0o700 })
  onTestFinished(() => rmSync(sockets, { recursive: true, force: true }))
  writeFileSync(join(sockets, 'agent'), '')
  expect(await mountBeside(join(sockets, 'agent'), home)).toBeUndefined()
  expect(await mountBeside(sockets, home)).toBeUndefined()
})
