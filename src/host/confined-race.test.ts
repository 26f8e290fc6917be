import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openTestWorkspace } from '../../test/support/workspace-tools.ts'
import type { TestWorkspace } from '../../test/support/workspace-tools.ts'
import { ToolRefused } from '#lib/tool-refused.ts'

const swaps = 100_000
const longestMs = 15_000

/** Puts a link out in the place of a folder, and the folder back, as fast as it can; tells at the end how often. */
const swapper = `
const { renameSync, rmSync } = require('node:fs')
const [, swaps, longestMs] = process.argv
const until = Date.now() + Number(longestMs)
const move = (from, to) => {
  for (;;) {
    try {
      return renameSync(from, to)
    } catch {}
    try {
      rmSync(to, { recursive: true, force: true }) // somebody has made a folder in between
    } catch {}
  }
}
let done = 0
for (; done < swaps && (done % 64 || Date.now() < until); done += 1) {
  move('folder', 'kept')
  move('link', 'folder')
  move('folder', 'link')
  move('kept', 'folder')
}
process.stdout.write(String(done))
`

let workspace: TestWorkspace
beforeEach(() => {
  workspace = openTestWorkspace()
})
afterEach(() => workspace.close())

it('a folder that is swapped for a link out, again and again, lets nothing out and nothing in', async () => {
  const { root, outside, tools } = workspace
  mkdirSync(join(root, 'folder/deep'), { recursive: true })
  mkdirSync(join(outside, 'deep'))
  for (const place of ['file.txt', 'deep/file.txt']) {
    writeFileSync(join(root, 'folder', place), 'inside\n')
    writeFileSync(join(outside, place), 'OUTSIDE\n')
  }
  writeFileSync(join(outside, 'only-outside.txt'), 'OUTSIDE\n')
  symlinkSync(outside, join(root, 'link'))

  const child = spawn(process.execPath, ['-e', swapper, String(swaps), String(longestMs)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  let hasEnded = false
  const ended = once(child, 'close').then(() => (hasEnded = true))

  const never = new AbortController().signal
  const outcomes = new Map<string, number>()
  const leaks: string[] = []
  let searches = 0
  for (let round = 0; !hasEnded; round += 1) {
    const calls = [
      ['read', { path: 'folder/file.txt' }],
      ['read', { path: 'folder/deep/../deep/file.txt' }],
      ['read', { path: 'folder/only-outside.txt' }],
      ['list', { path: 'folder' }],
      ['write', { path: 'folder/written.txt', content: 'written\n' }],
      ['write', { path: 'folder/made/deep/written.txt', content: 'written\n' }],
      ['edit', { path: 'folder/deep/file.txt', find: 'inside', replace: 'inside' }],
    ] as const
    const search =
      round % 20 === 0
        ? ([
            ['search', { pattern: 'OUTSIDE', type: 'content', includeIgnored: true }],
            ['search', { pattern: '*', includeIgnored: true, path: 'folder' }],
          ] as const)
        : []
    searches += search.length
    for (const [tool, input] of [...calls, ...search]) {
      const answer = await tools.call(tool, input, never).catch((error: unknown) => {
        if (!(error instanceof ToolRefused)) throw error
        return error.code
      })
      const outcome = typeof answer === 'string' ? answer : 'done'
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      leaks.push(...(/OUTSIDE|only-outside/.exec(JSON.stringify(answer)) ?? []))
    }
  }
  await ended

  expect(leaks).toEqual([])
  expect(readdirSync(outside, { recursive: true }).toSorted()).toEqual([
    'deep',
    'deep/file.txt',
    'file.txt',
    'only-outside.txt',
  ])
  for (const place of ['file.txt', 'deep/file.txt', 'only-outside.txt'])
    expect(readFileSync(join(outside, place), 'utf8')).toBe('OUTSIDE\n')
  // It was a race, and not one of the two alone.
  expect(outcomes.get('done')).toBeGreaterThan(10)
  expect(outcomes.get('path_outside')).toBeGreaterThan(10)
  expect(Number(said)).toBeGreaterThan(1000)
  expect(searches).toBeGreaterThan(0)
}, 60_000)
