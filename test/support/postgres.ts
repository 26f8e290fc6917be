import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { openPool } from '#db/pool.ts'
import type { DatabasePool } from '#db/pool.ts'
import { withDatabase } from './database-url.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** A database of its own, on the Postgres that all tests share: migrated, or empty. */
export async function freshDatabase(
  template: 'signalbox_template' | 'template0' = 'signalbox_template',
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${name} template ${template}`)
  return {
    url: withDatabase(inject('postgresUrl'), name),
    drop: () => asAdmin(`drop database ${name} with (force)`),
  }
}

/** The same with an open pool; both are gone when the test has finished. */
export async function freshPool(): Promise<DatabasePool & { url: string }> {
  const database = await freshDatabase()
  const pool = openPool(database.url, { max: 5 })
  onTestFinished(async () => {
    await pool.close()
    await database.drop()
  })
  return { ...pool, url: database.url }
}

async function asAdmin(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') })
  await client.connect()
  await client.query(statement)
  await client.end()
}
