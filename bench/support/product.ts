import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
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
    await untilLookedAround(box)
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

/** A worker looks once at what is on PATH when it starts; what is measured is how it is on any day after that. */
async function untilLookedAround(box: Signalbox): Promise<void> {
  for (let looks = 0; looks < 600; looks += 1) {
    const { status, body } = await box.call('GET', '/discovery/scan')
    if (status === 200 && body.data?.endedAt) return
    await wait(100)
  }
  throw new Error('The look at what is on PATH did not end within a minute')
}
