import { expect, test } from 'vitest'
import { freshPool } from '../../test/support/postgres.ts'
import { isDatabaseAway } from './failure.ts'
import type { Tx } from './pool.ts'

const put = (tx: Tx, key: string) =>
  tx.$client.query("insert into settings (key, value, updated_by) values ($1, '1', 'test')", [key])

test('a flow that fails leaves nothing behind, and its own error comes through', async () => {
  const pool = await freshPool()
  const failing = pool.transaction(async (tx) => {
    await put(tx, 'half')
    throw new Error('changed my mind')
  })
  await expect(failing).rejects.toThrow('changed my mind')
  await pool.transaction((tx) => put(tx, 'whole'))
  const { rows } = await pool.db.$client.query('select key from settings')
  expect(rows).toEqual([{ key: 'whole' }])
})

test('a connection that dies under a transaction is told as the database being away, and is not used again', async () => {
  const pool = await freshPool()
  const cut = pool.transaction(async (tx) => {
    await put(tx, 'lost')
    const { rows } = await tx.$client.query<{ pid: number }>('select pg_backend_pid() as pid')
    await pool.db.$client.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await put(tx, 'lost too')
  })
  const error: unknown = await cut.catch((failed: unknown) => failed)
  expect(isDatabaseAway(error)).toBe(true)
  for (let n = 0; n < 10; n++) await pool.transaction((tx) => put(tx, `after ${n}`))
  const { rows } = await pool.db.$client.query(
    "select count(*) as count from settings where key like 'lost%'",
  )
  expect(rows).toEqual([{ count: 0 }])
})

test('the last words of a connection that was given back as broken end nobody', async () => {
  const pool = await freshPool()
  const client = await pool.db.$client.connect()
  client.release(new Error('broken'))
  expect(() => client.emit('error', new Error('terminating connection'))).not.toThrow()
})

test('a wrong statement is not mistaken for the database being away', async () => {
  const pool = await freshPool()
  const error: unknown = await pool.db.execute('select nothing').catch((failed: unknown) => failed)
  expect(error).toBeInstanceOf(Error)
  expect(isDatabaseAway(error)).toBe(false)
})
