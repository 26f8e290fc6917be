import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { SpoolRecord } from '#contract/keeper.ts'
import { SpoolDamaged, readSpool } from './spool-reader.ts'

const at = '2026-01-01T00:00:00.000Z'

function newSpool(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-spool-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'spool.ndjson')
}

function output(
  offset: number,
  text: string,
  stream: 'stdout' | 'stderr' | 'system' = 'stdout',
): SpoolRecord {
  return {
    offset,
    at,
    type: 'data-terminal',
    payload: { stream, chunk: Buffer.from(text).toString('base64') },
  }
}

const line = (record: SpoolRecord) => `${JSON.stringify(record)}\n`
const start = { offset: 0, bytes: 0 }

test('whole records are read, from the cursor on', async () => {
  const spool = newSpool()
  expect(await readSpool(spool, start)).toBeUndefined()
  const [first, second] = [line(output(1, 'one\ntwo\n')), line(output(2, 'three', 'stderr'))]
  appendFileSync(spool, first + second)
  const both = await readSpool(spool, start)
  expect(both).toMatchObject({
    from: 0,
    to: 2,
    bytes: first.length + second.length,
    logBytes: 13,
    logLines: 2,
  })
  const rest = await readSpool(spool, { offset: 1, bytes: first.length })
  expect(rest).toMatchObject({ from: 1, to: 2, records: [output(2, 'three', 'stderr')] })
  expect(await readSpool(spool, { offset: 2, bytes: both!.bytes })).toBeUndefined()
})

test('a record that is cut off waits until it is whole', async () => {
  const spool = newSpool()
  const [first, second] = [line(output(1, 'one')), line(output(2, 'two'))]
  appendFileSync(spool, first + second.slice(0, 10))
  expect(await readSpool(spool, start)).toMatchObject({ to: 1, bytes: first.length })
  expect(await readSpool(spool, { offset: 1, bytes: first.length })).toBeUndefined()
  appendFileSync(spool, second.slice(10))
  expect(await readSpool(spool, { offset: 1, bytes: first.length })).toMatchObject({ from: 1, to: 2 })
})

test('a long spool is read in batches that follow one another', async () => {
  const spool = newSpool()
  const chunk = 'x'.repeat(60_000)
  for (let offset = 1; offset <= 40; offset++) appendFileSync(spool, line(output(offset, chunk)))
  let [cursor, batches] = [start, 0]
  for (let batch = await readSpool(spool, cursor); batch; batch = await readSpool(spool, cursor)) {
    expect(batch.from).toBe(cursor.offset)
    expect(JSON.stringify(batch.records).length).toBeLessThan(1_100_000)
    cursor = { offset: batch.to, bytes: batch.bytes }
    batches += 1
  }
  expect(cursor.offset).toBe(40)
  expect(batches).toBeGreaterThan(2)
})

test('our own lines are not counted as output', async () => {
  const spool = newSpool()
  appendFileSync(spool, line(output(1, 'Timed out\n', 'system')))
  expect(await readSpool(spool, start)).toMatchObject({ logBytes: 0, logLines: 0 })
})

test('what is sound before a damaged record is read, and then it says so', async () => {
  const spool = newSpool()
  const [first, second] = [line(output(1, 'one')), line(output(2, 'zwölf €'))]
  appendFileSync(spool, `${first}${second}\0\0\0\0 damaged\n${line(output(4, 'four'))}`)
  const sound = await readSpool(spool, start)
  expect(sound).toMatchObject({ to: 2, bytes: first.length + second.length })
  await expect(readSpool(spool, { offset: 2, bytes: sound!.bytes })).rejects.toThrow(SpoolDamaged)
})

test('a spool that does not go on where the cursor stands is an error, not a guess', async () => {
  const spool = newSpool()
  appendFileSync(spool, line(output(7, 'seven')))
  await expect(readSpool(spool, start)).rejects.toThrow('does not go on after record 0')
})
