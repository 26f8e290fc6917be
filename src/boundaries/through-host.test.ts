import { createHash } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestLine } from '../../test/support/host-line.ts'
import type { TestLine } from '../../test/support/host-line.ts'

let opened: TestLine | undefined
const open = async (options?: Parameters<typeof openTestLine>[0]) => (opened = await openTestLine(options))
afterEach(async () => {
  await opened?.close()
  opened = undefined
})

const shell = (script: string, cwd: string) => ({
  file: '/bin/sh',
  argv: ['-c', script],
  env: { PATH: process.env['PATH'] ?? '' },
  cwd,
})

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts).toString()
}

describe('a program that the host starts', () => {
  it('says what it says, on both of its outputs, and how it ended', async () => {
    const { line, root } = await open()
    expect(await line.health()).toMatchObject({ status: 'ok', protocol: 1 })
    const program = await line.start(shell('echo hello; echo oh >&2; pwd; exit 7', root), 'one')
    expect(await Promise.all([textOf(program.stdout), textOf(program.stderr), program.exited])).toEqual([
      `hello\n${root}\n`,
      'oh\n',
      { exitCode: 7, signal: null },
    ])
    expect(await program.end(0)).toBe(true)
  })

  it('may run for longer than it may take to start', async () => {
    const { line, root } = await open({ startMs: 3_000 })
    const program = await line.start(shell('sleep 3.5; echo still here', root), 'one')
    expect([await textOf(program.stdout), await program.exited]).toEqual([
      'still here\n',
      { exitCode: 0, signal: null },
    ])
  })

  it('takes input until its end', async () => {
    const { line, root } = await open()
    const program = await line.start({ ...shell('wc -c', root), takesInput: true }, 'one')
    for (let n = 0; n < 64; n += 1) program.stdin?.write(Buffer.alloc(1 << 16))
    program.stdin?.end()
    expect((await textOf(program.stdout)).trim()).toBe(String(64 << 16))
  })

  it('arrives whole when it says 50 MB', async () => {
    const { line, root } = await open()
    const program = await line.start(
      shell('head -c 50000000 /dev/zero | tr "\\0" x; printf end', root),
      'one',
    )
    program.stderr.resume()
    const hash = createHash('sha256')
    let size = 0
    for await (const piece of program.stdout as AsyncIterable<Buffer>) {
      hash.update(piece)
      size += piece.length
    }
    expect(size).toBe(50_000_003)
    const whole = createHash('sha256').update(Buffer.alloc(50_000_000, 'x')).update('end')
    expect(hash.digest('hex')).toBe(whole.digest('hex'))
  }, 60_000)
})

it('counts programs for as long as something of them lives', async () => {
  const { line, root } = await open()
  const count = async () => (await line.health()).programs
  const never = new AbortController().signal
  for (let n = 0; n < 3; n += 1) await line.call('command', { command: 'true' }, never)
  await (
    await line.start(shell('true', root), 'one')
  ).exited
  await expect.poll(count, { timeout: 20_000 }).toBe(0)
  const script = 'setsid sh -c "until [ -e go ]; do sleep 0.05; done" >/dev/null 2>&1 & echo begun'
  const parent = await line.start(shell(script, root), 'two')
  await parent.exited
  expect(await count()).toBe(1)
  writeFileSync(join(root, 'go'), '')
  await expect.poll(count, { timeout: 20_000 }).toBe(0)
  expect(await parent.end(0)).toBe(true)
}, 60_000)

it('starts no app where there is none, and says how one is given', async () => {
  const { line } = await open()
  for (const action of ['start', 'restart'] as const)
    await expect(line.app(action)).rejects.toMatchObject({
      code: 'no_app',
      message: expect.stringMatching(/`app`.*`run` in signalbox\.json/),
    })
  expect(await line.app('stop')).toMatchObject({ state: 'none' })
})

it('is held up by whoever does not read what it says, and holds up nobody else', async () => {
  const { line, root } = await open()
  const said = () => statSync(join(root, 'said'), { throwIfNoEntry: false })?.size ?? 0
  const flood = await line.start(
    shell('while :; do head -c 65536 /dev/zero || exit; printf x >> said; done', root),
    'one',
  )
  await expect.poll(said, { timeout: 20_000 }).toBeGreaterThan(8)
  let before = -1
  // It goes on until all that is on the way is full, and no further.
  await expect.poll(() => before === (before = said()), { timeout: 20_000, interval: 500 }).toBe(true)
  expect(before * 65_536).toBeLessThan(16 * 2 ** 20)
  expect(await line.health()).toMatchObject({ status: 'ok' })
  let heard = 0
  for await (const piece of flood.stdout as AsyncIterable<Buffer>) {
    heard += piece.length
    if (heard > 32 * 2 ** 20) break
  }
  expect(said()).toBeGreaterThan(before)
  expect(await flood.end(0)).toBe(true)
}, 60_000)

it('dies as a whole with a kill -9 of the host, and says so', async () => {
  const { line, link, host, root } = await open()
  const program = await line.start({ ...shell('cat', root), takesInput: true }, 'one')
  host.kill('SIGKILL')
  expect(await link.lost).toMatch(/host/)
  expect(await program.exited).toEqual({ exitCode: null, signal: 'SIGKILL' })
  await wait(0)
  await expect(line.health()).rejects.toThrow(/put up anew/)
})
