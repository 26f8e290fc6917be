import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../src/db/embedded/start.ts'
import { migrate } from '../../src/db/migrate.ts'
import { prepareRuntimeFolder } from '../../src/lib/runtime-folder.ts'
import { withDatabase } from './database-url.ts'

/** Starts one real Postgres for all test files, with a migrated database to copy from. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-test-postgres-'))
  const runtimeFolder = prepareRuntimeFolder(home)
  const postgres = await startPostgres({ home, runtimeFolder, log: pino({ level: 'silent' }) })
  // Vitest does not tear down when it is interrupted: it only exits.
  const endAtOnce = () => {
    process.kill(postgres.pid, 'SIGQUIT')
    for (const folder of [home, runtimeFolder]) rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', endAtOnce)
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query('create database signalbox_template')
  await client.end()
  await migrate(withDatabase(postgres.url, 'signalbox_template'), { info: () => undefined })
  project.provide('postgresUrl', postgres.url)
  return async () => {
    process.off('exit', endAtOnce)
    await postgres.stop()
    await rm(home, { recursive: true, force: true })
  }
}
