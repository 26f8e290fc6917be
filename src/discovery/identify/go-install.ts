import { dirname, join } from 'node:path'
import { someAtATime } from '#lib/some-at-a-time.ts'
import { readGoModule } from '../file-start.ts'
import type { Places } from '../places.ts'
import type { FindOwners, Owner } from './owner.ts'

/** What `go install` has put into `~/go/bin`; each program says itself which module it was built from. */
export function openGo({ home }: Places): FindOwners {
  const folder = join(home, 'go/bin')
  const kept = new Map<string, Owner>()
  return async (files) => {
    const ours = files.filter(({ path }) => dirname(path) === folder)
    await someAtATime(ours, 8, async ({ name, realPath, stamp }) => {
      if (kept.has(stamp)) return
      const built = await readGoModule(realPath)
      kept.set(stamp, {
        package: built?.module ?? name,
        source: 'go',
        version: built?.version ?? null,
        description: null,
      })
    })
    return new Map(ours.map(({ path, stamp }) => [path, kept.get(stamp)!] as const))
  }
}
