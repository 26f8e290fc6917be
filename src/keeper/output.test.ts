import { afterAll, beforeAll, expect, it } from 'vitest'
import { startKeeper } from '../../test/support/keeper.ts'
import type { TestKeeper } from '../../test/support/keeper.ts'

let keeper: TestKeeper
beforeAll(async () => {
  keeper = await startKeeper()
})
afterAll(() => keeper.stop())

const limit = 1024 * 1024
const print = (bytes: number) => ['-c', `head -c ${bytes} /dev/zero`]

it('keeps every byte, whatever it is', async () => {
  const script =
    'process.stdout.write(Buffer.from(Array.from({ length: 256 * 40 }, (_, i) => (i * 7) % 256)))'
  const { output, records } = await keeper.run(process.execPath, ['-e', script])
  expect(output('stdout')).toEqual(Buffer.from(Array.from({ length: 256 * 40 }, (_, i) => (i * 7) % 256)))
  expect(records.length).toBeLessThan(10)
})

it('writes the first output at once and does not make a record of every byte', async () => {
  const script = 'i=0; while [ $i -lt 2000 ]; do i=$((i+1)); printf x; done'
  const { output, records } = await keeper.run('/bin/sh', ['-c', script])
  expect(output('stdout')).toHaveLength(2000)
  expect(records.length).toBeLessThan(200)
})

it('never cuts a character, also when it comes in halves', async () => {
  const script = `printf 'a\\342'; sleep 0.1; printf '\\202'; sleep 0.1; printf '\\254b'; sleep 0.1; printf '\\360\\237'`
  const { records } = await keeper.run('/bin/sh', ['-c', script])
  const chunks = records.flatMap((record) =>
    record.type === 'data-terminal' ? [Buffer.from(record.payload.chunk, 'base64').toString('latin1')] : [],
  )
  const bytes = (text: string) => Buffer.from(text).toString('latin1')
  expect(chunks.slice(0, 2)).toEqual(['a', bytes('€b')])
  expect(chunks.slice(2)).toEqual(['\xf0\x9f'])
})

it('keeps the output to the byte up to its limit, says that there was more, and ends the program', async () => {
  const { end, output, records } = await keeper.run('/usr/bin/yes', [], { maxOutputBytes: limit })
  expect(end).toMatchObject({ reason: 'output_limit', message: 'Output limit of 1 MB exceeded' })
  expect(output('stdout').equals(Buffer.from('y\n'.repeat(limit / 2)))).toBe(true)
  expect(output('system').toString()).toMatch(/^Output limit of 1 MB exceeded: .*\n$/)
  expect(records.at(-2)).toMatchObject({ payload: { stream: 'system' } })
})

it('counts stdout and stderr together', async () => {
  const script = `head -c ${limit} /dev/zero & head -c ${limit} /dev/zero >&2; wait`
  const { end, output } = await keeper.run('/bin/sh', ['-c', script], { maxOutputBytes: limit })
  expect(end.reason).toBe('output_limit')
  expect(output('stdout').length + output('stderr').length).toBe(limit)
})

it('lets a program print exactly as much as it may', async () => {
  const { end, output } = await keeper.run('/bin/sh', print(limit), { maxOutputBytes: limit })
  expect(end).toMatchObject({ reason: 'exited', exitCode: 0 })
  expect(output('stdout')).toHaveLength(limit)
  expect(output('system')).toHaveLength(0)
})

it('notices one byte too many, also when the program has ended by itself', async () => {
  const { end, output } = await keeper.run('/bin/sh', print(limit + 1), { maxOutputBytes: limit })
  expect(end.reason).toBe('output_limit')
  expect(output('stdout')).toHaveLength(limit)
})

it('keeps what was printed in the very last moment', async () => {
  for (let time = 0; time < 10; time += 1) {
    const { output } = await keeper.run('/bin/sh', ['-c', 'head -c 150000 /dev/zero; echo last'])
    expect(output('stdout').subarray(-5).toString()).toBe('last\n')
    expect(output('stdout')).toHaveLength(150_005)
  }
})
