import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { someAtATime } from '#lib/some-at-a-time.ts'
import type { Places } from '../places.ts'
import { readText } from '../read-bounded.ts'
import { keptWhileUnchanged } from '../stamp.ts'

/** What runs others' programs, and is named by units for that alone. */
const starters =
  /^(?:sh|bash|dash|zsh|env|python[\d.]*|perl|ruby|node|java|php[\d.]*|sudo|su|nice|ionice|flock|timeout|unshare|setpriv|systemd-.*|true|false|echo|rm|mkdir|cp|mv|cat|sleep|mount|umount|modprobe|systemctl)$/
const largestUnit = 256 * 1024

/** The paths of the programs that systemd keeps running here, by its unit files; what a unit runs once is none. */
export function openServices({ units, root }: Places): () => Promise<ReadonlySet<string>> {
  const before = root === '/' ? '' : root
  return keptWhileUnchanged(
    () => units,
    async () => {
      const running = new Set<string>()
      for (const folder of await realFolders(units)) {
        const names = await readdir(folder).catch(() => [])
        await someAtATime(
          names.filter((name) => name.endsWith('.service')),
          16,
          async (name) => {
            for (const path of programsIn((await readText(join(folder, name), largestUnit)) ?? ''))
              running.add(before + path)
          },
        )
      }
      return running
    },
  )
}

/** `/lib` is `/usr/lib` on most machines. */
async function realFolders(folders: readonly string[]): Promise<Set<string>> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)))
  return new Set(real)
}

export function programsIn(unit: string): string[] {
  if (/^Type\s*=\s*oneshot\s*$/m.test(unit)) return []
  return [...unit.matchAll(/^ExecStart\s*=\s*[-@:+!]*"?(\/[^\s"]+)/gm)]
    .map(([, path = '']) => path)
    .filter((path) => !starters.test(path.replace(/.*\//, '')))
}
