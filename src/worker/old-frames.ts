import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#config/config.ts'
import { framesFolder } from './plan-turn.ts'

const day = 24 * 60 * 60 * 1000

/** Removes the lines of agents' protocols that are older than what agents said. Answers with how many files are gone. */
export async function removeOldFrames(config: Config, now = Date.now()): Promise<number> {
  const folder = framesFolder(config)
  let removed = 0
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name)
    const written = (await stat(file).catch(() => undefined))?.mtimeMs ?? now
    if (now - written < config.log.retentionDays * day) continue
    await rm(file, { force: true })
    removed += 1
  }
  return removed
}
