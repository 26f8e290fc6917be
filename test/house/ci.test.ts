import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { allTools, tools } from '../../scripts/tools.ts'

const root = join(import.meta.dirname, '../..')

/** A clone with .ci/run in it, on a machine where these programs answer as told. */
function machine(programs: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-ci-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(root, '.ci'), join(folder, '.ci'), { recursive: true })
  const all = { 'dpkg-query': 'echo install ok installed', 'apt-get': 'exit 9', ...programs }
  for (const [name, text] of Object.entries(all)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  const child = spawn(join(folder, '.ci/run'), {
    env: { PATH: `${folder}:/usr/bin:/bin`, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more))
  const ended = once(child, 'close').then(([code]) => ({ code, last: text.trimEnd().split('\n').at(-1) }))
  return { folder, child, ended }
}

const npm = (test: string, check: string) => ({ npm: `case $1 in test) ${test};; *) ${check};; esac` })

test.each([
  ['all is well', 'echo 7 passed, 0 failed', 'echo 6 passed, 0 failed', 0, '13 passed, 0 failed'],
  ['tests fail', 'echo 5 passed, 2 failed; exit 1', 'echo 6 passed, 0 failed', 1, '11 passed, 2 failed'],
  ['tests are skipped', 'echo 5 passed, 1 failed, 1 skipped; exit 1', 'true', 1, '5 passed, 2 failed'],
  ['checks fail', 'echo 7 passed, 0 failed', 'echo 4 passed, 2 failed; exit 1', 1, '11 passed, 2 failed'],
  ['tests die uncounted', 'exit 137', 'echo 6 passed, 0 failed', 1, '6 passed, 1 failed'],
  ['checks die uncounted', 'echo 7 passed, 0 failed', 'exit 1', 1, '7 passed, 1 failed'],
  [
    'tests end badly after all',
    'echo 7 passed, 0 failed; exit 1',
    'echo 6 passed, 0 failed',
    1,
    '13 passed, 1 failed',
  ],
])('the last line counts when %s', async (_, tests, checks, code, last) => {
  expect(await machine(npm(tests, checks)).ended).toEqual({ code, last })
})

test('installs every tool that is missing, as root', async () => {
  const { folder, ended } = machine({
    ...npm('echo 1 passed, 0 failed', 'echo 1 passed, 0 failed'),
    'dpkg-query': 'exit 1',
    id: 'echo 0',
    'apt-get': 'echo "$@" >> installed',
  })
  expect(await ended).toEqual({ code: 0, last: '2 passed, 0 failed' })
  const packages = allTools.map((tool) => tools[tool].debian).join(' ')
  expect(readFileSync(join(folder, 'installed'), 'utf8')).toContain(packages)
})

test('counts when a tool cannot be installed', async () => {
  const nothing = { ...npm('exit 1', 'exit 1'), 'dpkg-query': 'exit 1', id: 'echo 0' }
  expect(await machine(nothing).ended).toEqual({ code: 9, last: '0 passed, 1 failed' })
})

test('passes on that it is to stop, and waits', async () => {
  const stoppable = `trap 'echo > stopped; kill $!; exit 1' TERM; sleep 300 & echo > started; wait`
  const { folder, child, ended } = machine(npm(stoppable, 'echo > checked'))
  await expect.poll(() => existsSync(join(folder, 'started'))).toBe(true)
  child.kill('SIGTERM')
  expect(await ended).toEqual({ code: 143, last: '0 passed, 1 failed' })
  expect(existsSync(join(folder, 'stopped'))).toBe(true)
  expect(existsSync(join(folder, 'checked'))).toBe(false)
})
