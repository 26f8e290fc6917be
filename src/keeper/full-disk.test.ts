import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startKeeper } from '../../test/support/keeper.ts'
import type { TestKeeper } from '../../test/support/keeper.ts'
import { MARK } from '#contract/keeper-protocol.ts'
import { newId } from '#lib/id.ts'
import { findMarked } from '#lib/marked-processes.ts'

/** Room for all that a keeper holds in memory while there is none. */
const diskBytes = 8 * 1024 * 1024
let disk: string
let keeper: TestKeeper

const mount = (folder: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes},mode=0700`, 'tmpfs', folder]).status === 0
const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'))
  const can = mount(folder)
  if (can) spawnSync('umount', [folder])
  rmdirSync(folder)
  return can
})()

/** Takes all the room but `left` bytes. */
function fill(left: number): void {
  const { bavail, bsize } = JSON.parse(
    spawnSync('stat', ['-f', '-c', '{"bavail":%a,"bsize":%S}', disk], { encoding: 'utf8' }).stdout,
  )
  writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - left))
}
const free = () => rmSync(join(disk, 'filler'), { force: true })
const spoolBytes = (id: string) => statSync(join(keeper.folder, `${id}.ndjson`)).size
const writtenBy = (pid: number) => readFileSync(`/proc/${pid}/io`, 'utf8')
const stateOf = async (id: string) =>
  (await keeper.call('GET', '/')).body.executions.find((one: { id: string }) => one.id === id)

describe.skipIf(!canMount)('on a full disk', () => {
  beforeEach(async () => {
    disk = mkdtempSync(join(tmpdir(), 'disk-'))
    chmodSync(disk, 0o700)
    mount(disk)
    keeper = await startKeeper({ home: disk })
  })
  afterEach(async () => {
    free() // a keeper does not leave before its records are written
    await keeper.stop()
    spawnSync('umount', [disk])
    rmdirSync(disk)
  })

  it('nothing is lost, nothing is doubled, and the program waits', async () => {
    fill(100_000)
    // Not a multiple of anything: the disk is full in the middle of a record.
    const script = 'i=10000; while [ $i -lt 50000 ]; do i=$((i+1)); echo "line $i"; done'
    const id = await keeper.launch('/bin/sh', ['-c', script], { cwd: '/' })
    await expect.poll(() => keeper.log(), { timeout: 5_000 }).toContain('ENOSPC')
    const full = await stateOf(id)
    expect(full.state).not.toBe('ended')
    expect(
      readFileSync(join(keeper.folder, `${id}.ndjson`))
        .subarray(0, full.bytes)
        .toString(),
    ).toMatch(/\}\n$/)
    free()
    expect((await keeper.progress(id)).at(-1)).toMatchObject({ state: 'ended', bytes: spoolBytes(id) })
    const lines = keeper
      .records(id)
      .flatMap((record) =>
        record.type === 'data-terminal' ? [Buffer.from(record.payload.chunk, 'base64')] : [],
      )
    expect(Buffer.concat(lines).toString()).toBe(
      Array.from({ length: 40_000 }, (_, index) => `line ${10_001 + index}\n`).join(''),
    )
  })

  it('a program that floods is held up, and can be cancelled meanwhile', async () => {
    fill(100_000)
    const id = await keeper.launch('/usr/bin/yes', [], { cwd: '/', maxOutputBytes: 2 ** 40 })
    await expect.poll(() => keeper.log(), { timeout: 5_000 }).toContain('ENOSPC')
    const { pid } = await stateOf(id)
    let before = ''
    const isHeldUp = () => before === (before = writtenBy(pid))
    await expect.poll(isHeldUp, { timeout: 5_000, interval: 200 }).toBe(true)
    const command = { epoch: 1, id: newId(), type: 'cancel', payload: null }
    expect((await keeper.call('POST', `/executions/${id}/commands`, command)).body).toEqual({
      outcome: 'delivered',
    })
    await expect.poll(() => findMarked(MARK, [id]), { timeout: 5_000 }).toEqual([])
    expect(await stateOf(id)).toMatchObject({ state: 'stopping' })
  })

  it('a program is timed out all the same', async () => {
    fill(100_000)
    const id = await keeper.launch('/usr/bin/yes', [], { cwd: '/', maxOutputBytes: 2 ** 40, timeoutMs: 500 })
    await expect.poll(async () => (await stateOf(id)).state, { timeout: 5_000 }).toBe('stopping')
    await expect.poll(() => findMarked(MARK, [id]), { timeout: 5_000 }).toEqual([])
  })
})
