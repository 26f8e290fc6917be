import { expect, it, vi } from 'vitest'
import { SourceConfig } from '#contract/source.ts'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { registerMachine } from './machine-life.ts'
import { openPinBook } from './pin-book.ts'
import { insertSources } from './sources.ts'

const config = SourceConfig.parse({ transport: 'http', url: 'https://example.com/mcp' })

async function openBook(count: number) {
  const pool = await freshPool()
  const machineId = newId()
  await registerMachine(pool.db, { id: machineId, name: 'here', workerId: machineId, url: 'unix:/nowhere' })
  const names = Array.from({ length: count }, (_, at) => `s${at}`)
  const rows = names.map((name) => ({
    id: newId(),
    name,
    machineId,
    origin: 'yaml' as const,
    config,
    createdBy: 'owner',
  }))
  await pool.transaction((tx) => insertSources(tx, rows))
  return { names, book: openPinBook(pool.db), asked: vi.spyOn(pool.db.$client, 'query') }
}

const pin = (tool: string, hash: string) => ({ tool, hash, definition: { tool } })

it('reads and writes what was accepted of a thousand sources in a few statements', async () => {
  const { names, book, asked } = await openBook(1_000)
  await Promise.all(names.map((name) => book.put(name, [pin('echo', `hash of ${name}`)], 'first seen')))
  const found = await Promise.all(names.map((name) => book.of(name)))
  expect(found.map((pins) => pins.get('echo'))).toEqual(names.map((name) => `hash of ${name}`))
  expect(asked.mock.calls.length).toBeLessThan(10)
})

it('keeps what was said last, and nothing of a source that is gone', async () => {
  const { book } = await openBook(2)
  await Promise.all([
    book.put('s0', [pin('echo', '1'), pin('other', '1')], 'first seen'),
    book.put('s0', [pin('echo', '2')], 'owner'),
    book.put('nobody', [pin('echo', '1')], 'first seen'),
  ])
  expect([...(await book.of('s0'))].toSorted()).toEqual([
    ['echo', '2'],
    ['other', '1'],
  ])
  expect(await book.of('s1')).toEqual(new Map())
  expect(await book.of('nobody')).toEqual(new Map())
})
