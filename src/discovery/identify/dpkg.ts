import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { someAtATime } from '#lib/some-at-a-time.ts'
import type { Places } from '../places.ts'
import { readText } from '../read-bounded.ts'
import type { ScannedFile } from '../scan.ts'
import { stampOfAll } from '../stamp.ts'
import { readDiversions } from './dpkg-diversions.ts'
import { readStanzas } from './dpkg-status.ts'
import { openPlacer } from './merged-folders.ts'
import type { FindOwners, Owner } from './owner.ts'

const largestList = 64 * 1024 * 1024

/** Whose a file is by dpkg's own lists, each read once, and again only after something was installed or removed. */
export function openDpkg({ root, dpkg }: Places): FindOwners {
  const info = join(dpkg, 'info')
  const status = join(dpkg, 'status')
  const diversions = join(dpkg, 'diversions')
  let kept: { stamp: string; owners: Map<string, Owner | undefined> } | undefined

  return async (files) => {
    const stamp = await stampOfAll([info, status, diversions])
    if (kept?.stamp !== stamp) kept = { stamp, owners: new Map() }
    const { owners } = kept
    const unknown = files
      .flatMap(({ path, realPath }) => [path, realPath])
      .filter((path) => !owners.has(path))
    if (unknown.length > 0) for (const [path, owner] of await look(unknown)) owners.set(path, owner)
    return new Map(
      files.flatMap(({ path, realPath }: ScannedFile) => {
        const owner = owners.get(path) ?? owners.get(realPath)
        return owner ? [[path, owner] as const] : []
      }),
    )
  }

  async function look(paths: readonly string[]): Promise<Map<string, Owner | undefined>> {
    const inPlace = await openPlacer(root)
    const wanted = new Map(paths.map((path) => [inPlace(path), '']))
    const before = root === '/' ? '' : root
    const divert = await readDiversions(diversions)
    await someAtATime(await listsIn(info), 16, async (list) => {
      const text = await readText(join(info, list), largestList)
      if (text === undefined) return
      const name = list.slice(0, -'.list'.length).replace(/:.*/, '')
      for (const line of linesOf(text)) {
        const path = inPlace(before + divert(line, name))
        const other = wanted.get(path)
        if (other === '' || (other !== undefined && name < other)) wanted.set(path, name)
      }
    })
    const stanzas = readStanzas((await readText(status, largestList)) ?? '', new Set(wanted.values()))
    return new Map(
      paths.map((path) => {
        const name = wanted.get(inPlace(path))
        const stanza = name ? stanzas.get(name) : undefined
        const owner: Owner | undefined = name
          ? { package: name, source: 'dpkg', version: null, description: null, ...stanza }
          : undefined
        return [path, owner]
      }),
    )
  }
}

async function listsIn(info: string): Promise<string[]> {
  const names = await readdir(info).catch(() => [])
  return names.filter((name) => name.endsWith('.list'))
}

/** Most lines are of what can be no program. */
const elsewhere = [
  '/usr/share/doc/',
  '/usr/share/man/',
  '/usr/share/locale/',
  '/usr/share/icons/',
  '/usr/include/',
]

function* linesOf(text: string): Iterable<string> {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start)
    const stop = end === -1 ? text.length : end
    if (stop > start && !elsewhere.some((folder) => text.startsWith(folder, start)))
      yield text.slice(start, stop)
    start = stop + 1
  }
}
