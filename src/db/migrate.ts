import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import type { Logger } from 'pino'

const folder = join(import.meta.dirname, '../../migrations')
const lockKey = 4100_0001

/**
 * Brings the database to this version's shape, once, however many processes start at the same time.
 * Each file runs in a transaction of its own. Throws when the database was made by a newer version, or when a file
 * that already ran was edited afterwards.
 */
export async function migrate(url: string, log: Pick<Logger, 'info'>): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'signalbox migrate' })
  client.on('error', () => undefined) // a lost connection also rejects the query under way
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await client.query(
      'create table if not exists migrations (name text primary key, hash text not null, at timestamptz not null default now())',
    )
    const applied = await client.query<{ name: string; hash: string }>('select name, hash from migrations')
    const files = await readMigrations()
    const known = new Map(files.map((file) => [file.name, file]))
    for (const { name, hash } of applied.rows) {
      const file = known.get(name)
      if (!file)
        throw new Error(
          `The database was made by a newer Signalbox (it has migration ${name}). Run that version, or restore a backup.`,
        )
      if (file.hash !== hash)
        throw new Error(
          `Migration ${name} was changed after it ran. Migrations are never edited: add a new one.`,
        )
      known.delete(name)
    }
    for (const file of known.values()) {
      await apply(client, file)
      log.info({ migration: file.name }, 'migrated')
    }
    await migrateQueue(client)
  } finally {
    await client.end()
  }
}

/** The queue brings its own tables, in a schema of its own. */
async function migrateQueue(client: pg.Client): Promise<void> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => client.query(text, values) },
    supervise: false,
    schedule: false,
  })
  boss.on('error', () => undefined) // what goes wrong here rejects
  await boss.start()
  await boss.stop({ graceful: false })
}

interface Migration {
  name: string
  hash: string
  sql: string
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), 'utf8')
      return { name, sql, hash: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

async function apply(client: pg.Client, { name, hash, sql }: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(sql)
    await client.query('insert into migrations (name, hash) values ($1, $2)', [name, hash])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`Migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}
