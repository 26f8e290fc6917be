import { basename } from 'node:path'
import type { Config } from '#config/config.ts'
import type { ImportSources, ImportedSources, SourceConfig } from '#contract/source.ts'
import type { Database } from '#db/pool.ts'
import { findSource } from '#db/sources.ts'
import { Problem } from '#domain/problem.ts'
import { configIn, fittingName } from './entry.ts'
import { foreignConfigs } from './foreign-configs.ts'
import type { Found } from './foreign-configs.ts'
import type { Sources } from './sources.ts'

interface Needs {
  db: Database
  sources: Sources
  config: () => Config
  env: NodeJS.ProcessEnv
  /** Of the user whom the worker runs as. */
  userHome: string
}

/** Takes what another program was told. What cannot be taken is told with why, and the rest is taken. */
export async function importSources(
  { db, sources, config, env, userHome }: Needs,
  by: string,
  { from, names, dryRun }: ImportSources,
): Promise<ImportedSources> {
  const found = await foreignConfigs[from]({ home: userHome, folders: config().allowedWorkingDirs, env })
  const taken: ImportedSources = { imported: [], skipped: [] }
  for (const one of found) {
    if (names && !names.includes(one.name)) continue
    const skip = (why: string) => void taken.skipped.push({ name: one.name, why })
    const wanted = wantedOf(one)
    if ('why' in wanted) skip(wanted.why)
    else if (taken.imported.includes(wanted.name))
      skip(`there is another ${wanted.name} in the same configuration`)
    else if (await findSource(db, wanted.name)) skip(`there is already a source ${wanted.name}`)
    else
      try {
        await (dryRun ? sources.check(wanted) : sources.add(by, wanted, 'import'))
        taken.imported.push(wanted.name)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        skip(error.message)
      }
  }
  for (const name of names ?? [])
    if (!found.some((one) => one.name === name))
      taken.skipped.push({ name, why: `${from} knows no such server` })
  return taken
}

function wantedOf({ name, entry }: Found): { name: string; config: SourceConfig } | { why: string } {
  const { command } = entry
  if (
    name.toLowerCase() === 'signalbox' ||
    (typeof command === 'string' && basename(command) === 'signalbox')
  )
    return { why: 'it is Signalbox itself' }
  const fitting = fittingName(name)
  if (fitting === undefined) return { why: 'no name for a source can be made of its name' }
  const config = configIn(entry)
  return 'why' in config ? config : { name: fitting, config }
}
