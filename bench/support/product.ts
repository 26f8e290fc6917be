import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { startPostgres } from '#db/embedded/start.ts'
import { prepareRuntimeFolder } from '#lib/runtime-folder.ts'
import { startSignalbox } from '../../test/support/signalbox.ts'
import type { Signalbox } from '../../test/support/signalbox.ts'

/** The real product on a Postgres that the bench can reach too. */
export async function startProduct(
  env: Record<string, string> = {},
): Promise<Signalbox & { databaseUrl: string }> {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-bench-'))
  const log = pino({ level: 'silent' })
  const postgres = await startPostgres({ home, runtimeFolder: prepareRuntimeFolder(home), log })
  const endPostgres = async () => {
    await postgres.stop()
    await rm(home, { recursive: true, force: true })
  }
  try {
    const box = await startSignalbox({ env: { ...env, DATABASE_URL: postgres.url } })
    return {
      ...box,
      databaseUrl: postgres.url,
      async stop() {
        const code = await box.stop()
        await endPostgres()
        return code
      },
    }
  } catch (error) {
    await endPostgres()
    throw error
  }
}
