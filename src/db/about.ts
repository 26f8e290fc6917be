import type { Database } from './pool.ts'

export interface DatabaseFacts {
  version: string
  name: string
  bytes: number
  since: Date
  /** The newest that ran. */
  migration: string
  /** Null where we may not know. */
  folder: string | null
}

/** What the database says of itself. */
export async function databaseFacts(db: Database): Promise<DatabaseFacts> {
  const { rows } = await db.$client.query<DatabaseFacts>(`
    select current_setting('server_version') as version, current_database() as name,
      pg_database_size(current_database()) as bytes, pg_postmaster_start_time() as since,
      (select max(name) from migrations) as migration,
      (select setting from pg_settings where name = 'data_directory') as folder`)
  const [facts] = rows
  if (!facts) throw new Error('The database said nothing of itself')
  return facts
}
