import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { identify } from '#lib/process-identity.ts'

const root = join(import.meta.dirname, '../..')

const passing = `import { test } from 'vitest'\ntest('is fine', () => undefined)\n`

/** Starts a process that nobody ends, and writes its pid where it is found. */
const leaving = (options: string, after = '') => `
  import { spawn } from 'node:child_process'
  import { writeFileSync } from 'node:fs'
  import { tmpdir } from 'node:os'
  import { test } from 'vitest'
  test('leaves a process', async () => {
    const child = spawn('sleep', ['300'], { stdio: 'ignore', detached: true, ${options} })
    child.unref()
    writeFileSync('pid', String(child.pid))
    ${after}
  }, 60_000)`

/** A repository with the scripts under test, two suites, and these test files: `unit/…`, `system/…`. */
function house(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-house-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ['scripts', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  for (const name of ['node_modules', 'src']) symlinkSync(join(root, name), join(folder, name))
  const all = {
    'vitest.config.ts': `export default { test: { projects: ['unit', 'system'].map((name) => ({
      test: { name, include: [name + '/*.test.ts'] } })) } }`,
    'scripts/suites.ts': `export const suites = {
      unit: { minutes: 1, needs: [] }, system: { minutes: 0.05, needs: [] }, browser: { minutes: 1, needs: ['chromium'] } }`,
    ...files,
  }
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return folder
}

interface Told {
  code: number | null
  text: string
  lastLine: string | undefined
}

function start(folder: string, suites: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['scripts/test.ts', ...suites], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TMPDIR: tmpdir(), NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => (text += more))
  const ended = once(child, 'close').then(([code]): Told => ({
    code,
    text,
    lastLine: text.trimEnd().split('\n').at(-1),
  }))
  return { child, ended }
}

const runSuites = (folder: string, ...suites: string[]) => start(folder, suites).ended

/** The process that a test file left; undefined once it is gone. */
const leftIn = (folder: string) => identify(Number(readFileSync(join(folder, 'pid'), 'utf8')))

test('counts what passed and what failed', async () => {
  const failing = `import { test } from 'vitest'\ntest('is not', () => { throw new Error('no') })\n`
  const told = await runSuites(house({ 'unit/a.test.ts': passing, 'unit/b.test.ts': failing }), 'unit')
  expect([told.code, told.lastLine]).toEqual([1, '1 passed, 1 failed'])
})

test('a suite without tests has failed', async () => {
  const told = await runSuites(house({ 'system/a.test.ts': passing }), 'unit', 'system')
  expect([told.code, told.lastLine]).toEqual([1, '1 passed, 1 failed'])
})

test('a suite without its tools is skipped and told of; in CI it has failed', async () => {
  const folder = house({ 'unit/a.test.ts': passing })
  const bare = { PATH: folder }
  const told = await start(folder, ['unit', 'browser'], bare).ended
  expect([told.code, told.lastLine]).toEqual([0, '1 passed, 0 failed, 1 skipped'])
  expect(told.text).toMatch(/SKIPPED: it needs chromium[^]*NOT TESTED HERE[^]*apt-get install chromium/)
  const inCi = await start(folder, ['unit', 'browser'], { ...bare, CI: 'true' }).ended
  expect([inCi.code, inCi.lastLine]).toEqual([1, '1 passed, 1 failed, 1 skipped'])
})

test('in CI every tool must be there, also those that no suite needs yet', async () => {
  const folder = house({ 'unit/a.test.ts': passing })
  writeFileSync(
    join(folder, 'scripts/suites.ts'),
    'export const suites = { unit: { minutes: 1, needs: [] } }',
  )
  const bare = { PATH: folder }
  expect(await start(folder, [], bare).ended).toMatchObject({ code: 0 })
  const inCi = await start(folder, [], { ...bare, CI: 'true' }).ended
  expect(inCi.code).toBe(1)
  expect(inCi.text).toMatch(/\btmux\b/)
})

test.each([
  ['with the environment it was given', ''],
  ['with an empty environment, in a temporary folder', `env: {}, cwd: tmpdir()`],
])('a process left behind %s is named and ended, and the suite has failed', async (_, options) => {
  const folder = house({ 'unit/a.test.ts': leaving(options) })
  const told = await runSuites(folder, 'unit')
  expect([told.code, told.lastLine]).toEqual([1, '1 passed, 1 failed'])
  expect(told.text).toMatch(/STILL RUNNING[^]*sleep 300/)
  expect(leftIn(folder)).toBeUndefined()
})

test('a temporary folder left behind is named and removed, and the suite has failed', async () => {
  const leavingFolder = `
    import { mkdtempSync, writeFileSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    import { test } from 'vitest'
    test('leaves a folder', () => writeFileSync('left', mkdtempSync(tmpdir() + '/forgotten-')))`
  const folder = house({ 'unit/a.test.ts': leavingFolder })
  const told = await runSuites(folder, 'unit')
  expect([told.code, told.lastLine]).toEqual([1, '1 passed, 1 failed'])
  expect(told.text).toMatch(/LEFT BEHIND[^]*forgotten-/)
  expect(existsSync(readFileSync(join(folder, 'left'), 'utf8'))).toBe(false)
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends the suite, what it started, and those that would follow', async (signal, code) => {
  const folder = house({
    'unit/a.test.ts': leaving('', `await new Promise(() => undefined)`),
    'system/a.test.ts': passing,
  })
  const { child, ended } = start(folder, ['unit', 'system'])
  await expect.poll(() => existsSync(join(folder, 'pid')), { timeout: 15_000 }).toBe(true)
  child.kill(signal)
  const told = await ended
  expect([told.code, told.lastLine]).toEqual([code, '0 passed, 1 failed'])
  expect(told.text).not.toContain('system')
  expect(leftIn(folder)).toBeUndefined()
})

test('a suite that takes too long is ended with everything it started', async () => {
  const folder = house({ 'system/a.test.ts': leaving('', `await new Promise(() => undefined)`) })
  const told = await runSuites(folder, 'system')
  expect([told.code, told.lastLine]).toEqual([1, '0 passed, 1 failed'])
  expect(told.text).toContain('more than its 0.05 minutes')
  expect(leftIn(folder)).toBeUndefined()
})
