import { expect, test } from 'vitest'
import { freshPool } from '../../test/support/postgres.ts'
import { listCapabilities } from './capabilities.ts'
import { newId } from '#lib/id.ts'

const prepared = `select from_sql, statement, generic_plans + custom_plans as times from pg_prepared_statements where statement like $1`

test('a statement that comes again and again over a connection is planned once', async () => {
  const pool = await freshPool()
  await pool.transaction(async (tx) => {
    for (let n = 0; n < 9; n += 1) await listCapabilities(tx, newId())
    expect((await tx.$client.query(prepared, ['%"capabilities"%'])).rows).toEqual([])
    for (let n = 0; n < 9; n += 1) expect(await listCapabilities(tx, newId())).toEqual([])
    const { rows } = await tx.$client.query<{ times: number }>(prepared, ['%"capabilities"%'])
    expect(rows.map(({ times }) => times)).toEqual([9])
  })
})

test('what has a name keeps it, and what differs each time gets none', async () => {
  const pool = await freshPool()
  await pool.transaction(async (tx) => {
    for (let n = 0; n < 12; n += 1) {
      await tx.$client.query({ name: 'own', text: 'select $1::int as own', values: [n] })
      await tx.$client.query({ text: `select ${n} as plain` })
      await tx.$client.query({ text: "select '$1'; select 2", values: [] })
    }
    const { rows } = await tx.$client.query('select name from pg_prepared_statements order by name')
    expect(rows).toEqual([{ name: 'own' }])
  })
})
