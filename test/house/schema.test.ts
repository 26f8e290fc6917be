import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getTableConfig } from 'drizzle-orm/pg-core'
import { is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import * as schema from '#db/schema.ts'
import { freshPool } from '../support/postgres.ts'

const dump = join(import.meta.dirname, '../../migrations/schema.sql')

interface Column {
  table: string
  column: string
  type: string
  required: boolean
  default: string | null
}

const columnsText = `
  select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type,
    a.attnotnull as required, pg_get_expr(d.adbin, d.adrelid) as default
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
  order by c.relname, a.attnum`

const constraintsText = `
  select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as text
  from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n' order by 1, 2`

const indexesText = `
  select tablename as table, indexdef as text from pg_indexes
  where schemaname = 'public' and indexname not in (select conname from pg_constraint) order by 1, indexname`

test('migrations/schema.sql shows what the migrations make (UPDATE=1 writes it anew)', async () => {
  const { db } = await freshPool()
  const query = async <Row extends object>(text: string) => (await db.$client.query<Row>(text)).rows
  const columns = Map.groupBy(await query<Column>(columnsText), (column) => column.table)
  const constraints = await query<{ table: string; name: string; text: string }>(constraintsText)
  const indexes = await query<{ table: string; text: string }>(indexesText)
  const made = [...columns].map(([table, of]) => {
    const lines = [
      ...of.map(
        ({ column, type, required, default: value }) =>
          `${column} ${type}${required ? ' not null' : ''}${value ? ` default ${value}` : ''}`,
      ),
      ...constraints
        .filter((entry) => entry.table === table)
        .map(({ name, text }) => `constraint ${name} ${text}`),
    ]
    const own = indexes.filter((index) => index.table === table).map(({ text }) => `${text};\n`)
    return `create table ${table} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);\n${own.join('')}`
  })
  const text = `-- What the migrations make, for reading. A test compares it; UPDATE=1 npm run check writes it anew.\n\n${made.join('\n')}`
  if (process.env['UPDATE']) writeFileSync(dump, text)
  expect(text).toBe(readFileSync(dump, 'utf8'))
})

test('src/db/schema.ts knows every table and column as they are', async () => {
  const { db } = await freshPool()
  const { rows } = await db.$client.query<Column>(columnsText)
  const real = rows
    .filter((row) => row.table !== 'migrations')
    .map((row) => [row.table, row.column, row.type, row.required])
  const known = Object.values(schema)
    .filter((table) => is(table, PgTable))
    .map((table) => getTableConfig(table))
    .flatMap(({ name, columns }) =>
      columns.map((column) => [name, column.name, column.getSQLType(), column.notNull]),
    )
  expect(known.toSorted()).toEqual(real.toSorted())
})
