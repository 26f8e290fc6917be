import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openFrames } from './frames.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'frames-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { dir: string; line: string })

it('keeps what went over the wire, each turn in its own file, for nobody else to read', async () => {
  const [first, second] = [join(folder, 'a/1.ndjson'), join(folder, 'a/2.ndjson')]
  const frames = openFrames(first, () => undefined)
  frames.note('in', '{"one":1}')
  frames.turnTo(second)
  frames.note('out', 'two')
  frames.close()
  frames.note('out', 'nobody hears this')
  await vi.waitFor(() => expect(linesOf(second)).toMatchObject([{ dir: 'out', line: 'two' }]))
  expect(linesOf(first)).toMatchObject([{ dir: 'in', line: '{"one":1}' }])
  expect(statSync(second).mode & 0o777).toBe(0o600)
})

it('ends a file that has become too long, and goes on in the next', async () => {
  const file = join(folder, '1.ndjson')
  const frames = openFrames(file, () => undefined, 10_000)
  const line = 'x'.repeat(1_000)
  for (let n = 0; n < 100; n++) {
    frames.note('out', line)
    await new Promise(setImmediate)
  }
  frames.turnTo(join(folder, '2.ndjson'))
  frames.note('out', 'short')
  frames.close()
  await vi.waitFor(() => expect(linesOf(join(folder, '2.ndjson'))).toHaveLength(1))
  expect(statSync(file).size).toBeLessThan(12_000)
})

it('says that the disk does not take them, and does without', async () => {
  const log = vi.fn<(line: string) => void>()
  writeFileSync(join(folder, 'file'), '')
  const frames = openFrames(join(folder, 'file/1.ndjson'), log)
  frames.note('out', 'lost')
  frames.close()
  await vi.waitFor(() => expect(log).toHaveBeenCalledWith(expect.stringContaining('Frames are not kept')))
})
