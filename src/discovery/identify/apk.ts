import type { Places } from '../places.ts'
import { readText } from '../read-bounded.ts'
import { keptWhileUnchanged } from '../stamp.ts'
import type { FindOwners, Owner } from './owner.ts'

const largest = 64 * 1024 * 1024

/** Alpine's own list: one letter a line, a package's folders (`F:`) and the files in each (`R:`). */
export function openApk({ root, apk }: Places): FindOwners {
  const before = root === '/' ? '' : root
  const owners = keptWhileUnchanged(() => [apk], read)

  async function read(): Promise<Map<string, Owner>> {
    const found = new Map<string, Owner>()
    for (const stanza of ((await readText(apk, largest)) ?? '').split('\n\n')) {
      const owner: Owner = { package: '', source: 'apk', version: null, description: null }
      let folder = ''
      for (const line of stanza.split('\n')) {
        const value = line.slice(2)
        if (line.startsWith('P:')) owner.package = value
        else if (line.startsWith('V:')) owner.version = value
        else if (line.startsWith('T:')) owner.description = value
        else if (line.startsWith('F:')) folder = value
        else if (line.startsWith('R:') && folder.endsWith('bin'))
          found.set(`${before}/${folder}/${value}`, owner)
      }
    }
    return found
  }

  return async (files) => {
    const known = await owners()
    return new Map(
      files.flatMap(({ path, realPath }) => {
        const owner = known.get(path) ?? known.get(realPath)
        return owner ? [[path, owner] as const] : []
      }),
    )
  }
}
