import { dirname, join } from 'node:path'
import { readText } from '../read-bounded.ts'
import { readToml } from '#lib/toml.ts'
import type { ScannedFile } from '../scan.ts'
import type { FindOwners, Owner } from './owner.ts'

const largest = 4 * 1024 * 1024
/** `ripgrep 14.1.0 (registry+https://github.com/rust-lang/crates.io-index)` */
const install = /^(\S+) (\S+)/

/** What `cargo install` has noted beside the folder that it installs into. */
export const findCrates: FindOwners = async (files) => {
  const folders = new Set(files.map(({ path }) => dirname(path)).filter((folder) => folder.endsWith('/bin')))
  const notes = new Map(
    await Promise.all(
      [...folders].map(async (folder) => [folder, await installsOf(dirname(folder))] as const),
    ),
  )
  return new Map(
    files.flatMap(({ path, name }: ScannedFile) => {
      const owner = notes.get(dirname(path))?.get(name)
      return owner ? [[path, owner] as const] : []
    }),
  )
}

async function installsOf(home: string): Promise<Map<string, Owner>> {
  const json = await readText(join(home, '.crates2.json'), largest)
  const toml = json === undefined ? await readText(join(home, '.crates.toml'), largest) : undefined
  try {
    if (json !== undefined)
      return owners(entriesOf(entryOf(JSON.parse(json), 'installs')), (told) => entryOf(told, 'bins'))
    if (toml !== undefined) return owners(entriesOf(entryOf(readToml(toml), 'v1')), (told) => told)
  } catch {
    // Notes that are broken tell nothing.
  }
  return new Map()
}

function owners(
  installs: readonly [string, unknown][],
  binsOf: (told: unknown) => unknown,
): Map<string, Owner> {
  const found = new Map<string, Owner>()
  for (const [key, told] of installs) {
    const [, name, version] = install.exec(key) ?? []
    const bins = binsOf(told)
    if (name === undefined || version === undefined || !Array.isArray(bins)) continue
    for (const bin of bins)
      if (typeof bin === 'string')
        found.set(bin, { package: name, source: 'cargo', version, description: null })
  }
  return found
}

const entryOf = (told: unknown, key: string): unknown =>
  typeof told === 'object' && told !== null
    ? Object.entries(told).find(([name]) => name === key)?.[1]
    : undefined
const entriesOf = (told: unknown): [string, unknown][] =>
  typeof told === 'object' && told !== null ? Object.entries(told) : []
