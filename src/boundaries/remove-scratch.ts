import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { inside } from '#contract/host.ts'

/** What a host kept in these homes, once nothing lives in there that could lead us elsewhere. What stays is removed by the next host. */
export async function removeScratch(homes: string): Promise<void> {
  await rm(join(homes, basename(inside.scratch)), { recursive: true, force: true }).catch(() => undefined)
}
