import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../test/support/postgres.ts'
import { migrate } from './migrate.ts'

async function emptyDatabase() {
  const database = await freshDatabase('template0')
  onTestFinished(() => database.drop())
  const ran: unknown[] = []
  const run = () => migrate(database.url, { info: (line: unknown) => void ran.push(line) })
  return { ran, run, query: (text: string) => query(database.url, text) }
}

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

test('ten processes that start at once migrate once', async () => {
  const { ran, run, query } = await emptyDatabase()
  await Promise.all(Array.from({ length: 10 }, run))
  const applied = await query('select name from migrations')
  expect(applied.length).toBeGreaterThan(0)
  expect(ran).toHaveLength(applied.length)
})

test('a database of a newer version is refused, and left alone', async () => {
  const { run, query } = await emptyDatabase()
  await run()
  await query("insert into migrations (name, hash) values ('9999_future.sql', '')")
  await expect(run()).rejects.toThrow('made by a newer Signalbox (it has migration 9999_future.sql)')
})

test('a migration that was edited after it ran is refused', async () => {
  const { run, query } = await emptyDatabase()
  await run()
  await query("update migrations set hash = 'other' where name = '0001_board.sql'")
  await expect(run()).rejects.toThrow('0001_board.sql was changed after it ran')
})

test('one that fails leaves nothing behind and says which', async () => {
  const { run, query } = await emptyDatabase()
  await query('create table tasks (x int)')
  await expect(run()).rejects.toThrow('Migration 0001_board.sql failed: relation "tasks" already exists')
  expect(await query("select 1 from pg_class where relname = 'streams'")).toEqual([])
})
