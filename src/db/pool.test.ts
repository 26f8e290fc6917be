import { expect, test } from 'vitest'
import { freshPool } from '../../test/support/postgres.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { lockStream } from './events.ts'
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

test('writers that wait for a lock keep nobody from reading, and are told before long', async () => {
  const pool = await freshPool()
  const release = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holder = pool.transaction(async (tx) => {
    await lockStream(tx, BOARD_STREAM)
    held.resolve()
    await release.promise
  })
  await held.promise
  const waiting = Array.from({ length: 20 }, () =>
    pool.transaction((tx) => lockStream(tx, BOARD_STREAM)).catch((failed: unknown) => failed),
  )
  const { rows } = await pool.db.$client.query('select 1 as one')
  expect(rows).toEqual([{ one: 1 }])
  const first: unknown = await Promise.race(waiting)
  expect(first).toMatchObject({ code: '55P03' })
  expect(isDatabaseAway(first)).toBe(true)
  release.resolve()
  await holder
  await Promise.all(waiting)
})

test('a transaction that does nothing for too long is ended, so that others can go on', async () => {
  const pool = await freshPool()
  const { rows } = await pool.db.$client.query('show idle_in_transaction_session_timeout')
  expect(rows).toEqual([{ idle_in_transaction_session_timeout: '10s' }])
})

test('a wrong statement is not mistaken for the database being away', async () => {
  const pool = await freshPool()
  const error: unknown = await pool.db.execute('select nothing').catch((failed: unknown) => failed)
  expect(error).toBeInstanceOf(Error)
  expect(isDatabaseAway(error)).toBe(false)
})
