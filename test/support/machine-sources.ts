import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { onTestFinished } from 'vitest'
import { loadConfig } from '#config/config.ts'
import { registerMachine } from '#db/machine-life.ts'
import { newId } from '#lib/id.ts'
import { openSeal } from '#lib/sealed.ts'
import { openNativeSource } from '#tools/native-source.ts'
import { openRegistry } from '#tools/registry.ts'
import { openConfigFile } from '#worker/tools/config-file.ts'
import type { SourceSpec } from '#worker/tools/open-row.ts'
import { restElsewhere } from '#worker/tools/rest-elsewhere.ts'
import { openSources } from '#worker/tools/sources.ts'
import { askElsewhere } from '../../src/main/ask-elsewhere.ts'
import { freshPool } from './postgres.ts'

/** The sources of a machine with a registry and a database of their own; what they open says what it was given. */
export async function openMachineSources(env: NodeJS.ProcessEnv = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'sources-home-')))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const pool = await freshPool()
  const machineId = newId()
  await registerMachine(pool.db, { id: machineId, name: 'here', workerId: machineId, url: 'unix:/nowhere' })
  const seal = openSeal(home)
  const told: Record<string, unknown>[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void told.push(JSON.parse(line)) })
  const given: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin', HOME: home, SIGNALBOX_HOME: home, ...env }
  const config = loadConfig({ env: given, cwd: home })
  const opened: SourceSpec[] = []
  const wrote: number[] = []

  function openAgain() {
    const registry = openRegistry({
      pins: { of: () => Promise.resolve(new Map()), put: () => Promise.resolve() },
      approve: () => Promise.resolve(),
      note: () => Promise.resolve(),
      readElsewhere: restElsewhere(pool.db, askElsewhere(pool.db)),
    })
    const file = openConfigFile(home, log)
    const sources = openSources({
      pool,
      machineId,
      seal,
      log,
      registry,
      writeFile: (rows) => {
        file.write(rows)
        wrote.push(rows.length)
      },
      check: () => ({ config, env: given, ourAddresses: () => Promise.resolve([]) }),
      openSource: (spec) => {
        opened.push(spec)
        return Promise.resolve(openNativeSource({ name: spec.name, description: '', tools: [] }))
      },
    })
    onTestFinished(async () => {
      sources.close()
      await registry.close()
    })
    return { registry, sources, file, written: { pool, machineId, seal, sources, file, log } }
  }

  /** `wrote` is how many sources the file had whenever it was written. */
  return { ...openAgain(), openAgain, pool, machineId, home, opened, told, wrote }
}
