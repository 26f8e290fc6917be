import { spawnSync } from 'node:child_process'
import {
  linkSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestWorkspace } from '../../../test/support/workspace-tools.ts'
import type { TestWorkspace } from '../../../test/support/workspace-tools.ts'

const diskBytes = 4 << 20
let disk: string
let workspace: TestWorkspace

const mount = (folder: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes},mode=0700`, 'tmpfs', folder]).status === 0
const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'))
  const can = mount(folder)
  if (can) spawnSync('umount', [folder])
  rmdirSync(folder)
  return can
})()

const at = (name: string) => join(disk, name)
/** Takes all the room but `left` bytes. */
function fill(left: number): void {
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(at('filler'), Buffer.alloc(bavail * bsize - left))
}

// Only root can make a small disk to fill.
describe.skipIf(!canMount)('on a full disk', () => {
  beforeEach(() => {
    disk = mkdtempSync(join(tmpdir(), 'disk-'))
    mount(disk)
    workspace = openTestWorkspace({ root: disk })
  })
  afterEach(async () => {
    await workspace.close()
    spawnSync('umount', [disk])
    rmdirSync(disk)
  })

  it('a file that cannot be written keeps its content, and nothing is left beside it', async () => {
    writeFileSync(at('a.txt'), 'old\n')
    fill(100_000)
    const content = 'x'.repeat(1 << 20)
    expect(await workspace.code('write', { path: 'a.txt', content })).toBe('disk_full')
    expect(await workspace.code('edit', { path: 'a.txt', find: 'old', replace: content })).toBe('disk_full')
    expect(await workspace.code('write', { path: 'new/deep/b.txt', content })).toBe('disk_full')
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('old\n')
    expect(readdirSync(disk).toSorted()).toEqual(['a.txt', 'filler'])
    rmSync(at('filler'))
    await workspace.call('write', { path: 'a.txt', content })
    expect(readFileSync(at('a.txt'), 'utf8')).toBe(content)
  })

  it('so does one with several names, which is written into', async () => {
    const old = 'old '.repeat(5000)
    writeFileSync(at('a.txt'), old)
    linkSync(at('a.txt'), at('b.txt'))
    fill(50_000)
    expect(await workspace.code('write', { path: 'a.txt', content: 'x'.repeat(1 << 20) })).toBe('disk_full')
    expect(readFileSync(at('b.txt'), 'utf8')).toBe(old)
    await workspace.call('write', { path: 'a.txt', content: 'short' })
    expect(readFileSync(at('b.txt'), 'utf8')).toBe('short')
  })

  it('an output that is too long to be kept is answered as far as it was', async () => {
    const other = openTestWorkspace({ scratch: join(disk, 'scratch') })
    fill(1_000_000)
    const { exitCode, stdout, stdoutRest } = await other.call('command', {
      command: 'head -c 3000000 /dev/zero',
    })
    expect({ exitCode, length: stdout.length }).toEqual({ exitCode: 0, length: 256 * 1024 })
    expect(stdoutRest!.bytes).toBeLessThan(1 << 20)
    expect(stdoutRest).toMatchObject({ said: 3_000_000, isWhole: false })
    expect(await other.call('output', { handle: stdoutRest!.handle, offset: 300_000 })).toMatchObject({
      content: expect.any(String),
    })
    await other.close()
  })

  it('what was kept of an output can be read to its end, also where that is nothing', async () => {
    const other = openTestWorkspace({ scratch: join(disk, 'scratch') })
    for (const left of [100_000, 0]) {
      fill(left)
      const { stdout, stdoutRest } = await other.call('command', { command: 'head -c 300000 /dev/zero' })
      const { handle, bytes, ...rest } = stdoutRest!
      expect({ length: stdout.length, ...rest }).toEqual({ length: 262_144, said: 300_000, isWhole: false })
      expect(bytes).toBeLessThanOrEqual(left)
      const { content, next } = await other.call('output', { handle })
      expect({ length: content.length, next }).toEqual({ length: bytes, next: null })
      rmSync(at('filler'))
    }
    await other.close()
  })

  it('an output is told to be cut where there is no room for a file of it', async () => {
    writeFileSync(at('no-folder'), '')
    const other = openTestWorkspace({ scratch: at('no-folder') })
    const { stdout, stdoutRest } = await other.call('command', { command: 'head -c 300000 /dev/zero' })
    const { handle, ...rest } = stdoutRest!
    expect({ length: stdout.length, ...rest }).toEqual({
      length: 262_144,
      bytes: 0,
      said: 300_000,
      isWhole: false,
    })
    expect(await other.call('output', { handle })).toMatchObject({ content: '', next: null, bytes: 0 })
    await other.close()
  })
})
