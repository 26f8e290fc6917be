import { lstatSync, opendirSync } from 'node:fs'
import { setImmediate as otherThings } from 'node:timers/promises'
import type { Stats } from 'node:fs'
import type { Listed } from '#contract/workspace-tool.ts'
import { within } from '../confined-way.ts'
import type { Confined } from '../confined.ts'
import { Asked, place as placeSize } from './asked.ts'
import { changedAt } from './file-time.ts'
import { Smallest } from './smallest.ts'

const mostEntries = 10_000
const atATime = 500

/** Lists a folder by name. Rejects with ToolRefused. */
export function list(files: Confined, input: unknown): Promise<Omit<Listed, 'executionTime'>> {
  const path = new Asked(input, ['path']).optionalText('path', placeSize) ?? '.'
  return files.in(path, async ({ path, handle }) => {
    const { names, hasMore } = await namesIn(handle)
    const entries: Listed['entries'] = []
    for (const [index, name] of names.entries()) {
      if (index % atATime === atATime - 1) await otherThings()
      const stats = lstatSync(within(handle, name), { throwIfNoEntry: false })
      if (stats) entries.push({ name, kind: kindOf(stats), size: stats.size, mtime: changedAt(stats) })
    }
    return { path, entries, truncated: hasMore }
  })
}

/** The first ones in order, of however many there are. */
export async function namesIn(folder: number): Promise<{ names: string[]; hasMore: boolean }> {
  const names = new Smallest(mostEntries)
  const opened = opendirSync(`/proc/self/fd/${folder}`, { bufferSize: 1024 })
  for await (const entry of opened) names.add(entry.name)
  return names.first()
}

function kindOf(stats: Stats): Listed['entries'][number]['kind'] {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'folder'
  return stats.isSymbolicLink() ? 'link' : 'other'
}
