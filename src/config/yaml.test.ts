import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readConfigFile } from './file.ts'

let cwd = ''
let file = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'signalbox-yaml-'))
  file = join(cwd, 'signalbox.config.yaml')
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

function read(content?: string | Buffer, env: NodeJS.ProcessEnv = {}) {
  if (content !== undefined) writeFileSync(file, content)
  const complaints: string[] = []
  const found = readConfigFile({ env, cwd }, ({ where, path, what }) =>
    complaints.push(`${where}: ${path} ${what}`),
  )
  return { value: found?.value, complaints }
}

it.each<[string, string, RegExp]>([
  ['a key twice', 'server:\n  port: 1\n  port: 2\n', /yaml:3:3: .*already written above/],
  ['a tab', 'server:\n\tport: 1\n', /yaml:2:1: .*tab.*spaces/],
  ['two documents', 'server: {}\n---\nserver: {}\n', /yaml:2:1: .*second document/],
  ['a map as a key', '? {a: b}\n: c\n', /yaml:1:3: .*key must be plain text/],
  ['an unknown alias', 'server: *nobody\n', /yaml:1:9: .*nobody/],
  ['an open bracket', 'server: [\n', /yaml:2:1: /],
  ['a strange tag', 'server: !!js/function "x"\n', /yaml:1:9: .*tag/],
  ['__proto__', 'agents:\n  __proto__: {a: 1}\n', /yaml:2:3: .*__proto__ cannot be a key/],
  ['an open variable', 'a: "${HOME"\n', /yaml:1:4: a has a \$\{ that names no variable/],
  ['a strange variable', 'a: "${not a name}"\n', /yaml:1:4: a has a \$\{ that names no variable/],
  [
    'an unset variable',
    'a:\n  - x\n  - "${NOWHERE}"\n',
    /yaml:3:5: a\[1\] names the variable NOWHERE, which is not set/,
  ],
])('complains about %s', (_, yaml, expected) => {
  expect(read(yaml).complaints).toEqual([expect.stringMatching(expected)])
})

it('does not let aliases multiply without end', () => {
  const laughs = Array.from({ length: 12 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n},`.repeat(9)}]`)
  const { complaints } = read(['l0: &l0 [ha]', ...laughs].join('\n'))
  expect(complaints).toEqual([expect.stringMatching(/aliases make it too large/)])
})

it('takes what is above an alias, and the nearest where a name was given twice', () => {
  const yaml = 'a: &x {b: &y 1}\nc: &y 2\nd: *x\ne: *y\nf: &x 3\ng: [*x, *y]\n'
  expect(read(yaml)).toEqual({
    value: { a: { b: 1 }, c: 2, d: { b: 1 }, e: 2, f: 3, g: [3, 2] },
    complaints: [],
  })
})

it('reads as many aliases as values, without reading everything again for each', () => {
  const { value, complaints } = read(`one: &one 1\nall: [${'*one, '.repeat(19_000)}]\n`)
  expect(complaints).toEqual([])
  expect(value).toEqual({ one: 1, all: Array.from({ length: 19_000 }, () => 1) })
})

it('does not follow an alias into itself', () => {
  expect(read('a: &a\n  b: *a\n').complaints).toEqual([expect.stringMatching(/too deep|Unresolved alias/)])
})

it('refuses nesting without end', () => {
  expect(read('['.repeat(200_000)).complaints.join()).toMatch(/nested too deeply|too deep/)
  expect(read(`a: ${'['.repeat(100)}${']'.repeat(100)}`).complaints.join()).toMatch(/too deep/)
})

it('does not go on and on about a file that is no YAML', () => {
  expect(read('&a '.repeat(10_000)).complaints.length).toBeLessThanOrEqual(21)
})

it('reads what editors of other systems write', () => {
  const plain = { server: { port: 4100 } }
  expect(read('\ufeffserver:\r\n  port: 4100\r\n')).toEqual({ value: plain, complaints: [] })
  expect(read('server:\r\n  port: 4100\r\n\tx: 1\r\n').complaints[0]).toMatch(/yaml:3:1: /)
  expect(read(Buffer.from('\ufeffserver: {}', 'utf16le')).complaints.join()).toMatch(/UTF-8/)
})

it('leaves out keys without a value, and takes an empty file for none', () => {
  expect(read('server:\nlogging:\n  level:\n')).toEqual({ value: { logging: {} }, complaints: [] })
  expect(read('')).toEqual({ value: {}, complaints: [] })
  expect(read('# all commented out\n')).toEqual({ value: {}, complaints: [] })
})

it('makes every key text', () => {
  expect(read('a: {1: x, true: y, 1.5: z}\n')).toEqual({
    value: { a: { 1: 'x', true: 'y', 1.5: 'z' } },
    complaints: [],
  })
})

it('puts variables into values alone, once, and can be told not to', () => {
  const env = { NAME: 'a ${B}', EMPTY: '' }
  const { value, complaints } = read(
    'x: "<${NAME}>"\ny: "$${NAME} $5 pa$$word"\nz: "[${EMPTY}]"\n"${NAME}": k\n',
    env,
  )
  expect(complaints).toEqual([])
  expect(value).toEqual({ x: '<a ${B}>', y: '${NAME} $5 pa$$word', z: '[]', '${NAME}': 'k' })
})

it('refuses what is not a text file', () => {
  expect(read('server: {}\nx: "a\0b"\n').complaints).toEqual([expect.stringMatching(/yaml:2:6:  a NUL byte/)])
  expect(read('#'.repeat(10 * 1024 ** 2)).complaints).toEqual([expect.stringMatching(/larger than 1MB/)])
  rmSync(file)
  mkdirSync(file)
  expect(read().complaints).toEqual([expect.stringMatching(/yaml:  is a folder/)])
  rmSync(file, { recursive: true })
  spawnSync('mkfifo', [file])
  expect(read().complaints).toEqual([expect.stringMatching(/yaml:  is not a plain file/)])
  rmSync(file)
  spawnSync('ln', ['-s', file, file])
  expect(read().complaints).toEqual([expect.stringMatching(/yaml:  cannot be read: ELOOP/)])
})
