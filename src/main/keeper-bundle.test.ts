import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startKeeper } from '../../test/support/keeper.ts'
import { keeperBundle, prepareKeeperRuntime } from './keeper-bundle.ts'

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
})
afterEach(() => rmSync(home, { recursive: true }))

it('is a keeper that runs alone', async () => {
  const command = await prepareKeeperRuntime(home)
  const elsewhere = join(home, 'elsewhere')
  cpSync(dirname(command.script), elsewhere, { recursive: true })
  const script = join(elsewhere, 'keeper.mjs')
  const keeper = await startKeeper({ command: { node: command.node, script } })
  try {
    expect((await keeper.run('/bin/echo', ['hello'])).output('stdout').toString()).toBe('hello\n')
  } finally {
    await keeper.stop()
  }
})

it('is built again when it was damaged, and left alone when it is fresh', async () => {
  const bundle = await keeperBundle(home)
  const good = readFileSync(bundle)
  const { ino } = statSync(bundle)
  expect(statSync(await keeperBundle(home)).ino).toBe(ino)
  writeFileSync(bundle, 'broken')
  expect(readFileSync(await keeperBundle(home))).toEqual(good)
})

it('is built again when one of its sources has changed since', async () => {
  const bundle = await keeperBundle(home)
  const { ino } = statSync(bundle)
  const notes = join(home, 'inputs.json')
  const built = JSON.parse(readFileSync(notes, 'utf8'))
  expect(Object.keys(built.inputs)).toContain('src/keeper/spool.ts')
  writeFileSync(
    notes,
    JSON.stringify({ ...built, inputs: { ...built.inputs, 'src/keeper/spool.ts': 'as it was' } }),
  )
  expect(statSync(await keeperBundle(home)).ino).not.toBe(ino)
})

it('is prepared once by any number of workers at the same time, and leaves no drafts', async () => {
  const prepared = await Promise.all(Array.from({ length: 5 }, () => prepareKeeperRuntime(home)))
  expect(new Set(prepared.map(({ script }) => script)).size).toBe(1)
  expect(readdirSync(join(home, 'runtime'))).toHaveLength(1)
  const { node, script } = prepared[0]!
  expect(statSync(node).size).toBe(statSync(process.execPath).size)
  expect(hashOf(script)).toBe(hashOf(await keeperBundle()))
})

it('has what goes inside walls, for whoever has the rights there to read', async () => {
  const folder = dirname((await prepareKeeperRuntime(home)).script)
  expect(statSync(folder).mode & 0o777).toBe(0o755)
  expect(statSync(join(folder, 'host.mjs')).mode & 0o777).toBe(0o644)
  for (const program of ['node', 'rg']) expect(statSync(join(folder, program)).mode & 0o555).toBe(0o555)
})

it('gets a folder of its own when its content changes, beside the one that may be running', async () => {
  const old = await prepareKeeperRuntime(home)
  const before = hashOf(old.script)
  const built = join(home, 'another')
  await keeperBundle(built)
  const another = join(built, 'keeper.mjs')
  writeFileSync(another, '// another one')
  const { script } = await prepareKeeperRuntime(home, Promise.resolve(another))
  expect(readFileSync(script, 'utf8')).toBe('// another one')
  expect(hashOf(old.script)).toBe(before)
})

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')
