import { join } from 'node:path'
import { readText } from '../read-bounded.ts'
import type { FindOwners, Owner } from './owner.ts'

const cellar = /^(.*\/(?:Cellar|Caskroom)\/([^/]+)\/([^/]+))\//
const store = /\/nix\/store\/[0-9a-z]{32}-([^/]+)\//
/** In Nix's own words: the version begins at the first dash that no letter follows. */
const nameAndVersion = /^(.+?)-([^a-zA-Z].*)$/

/** Homebrew and Nix say in the path of a file whose it is, and which version. */
export const findByStorePath: FindOwners = async (files) => {
  const owners = await Promise.all(
    files.map(async ({ path, realPath }) => [path, inNix(realPath) ?? (await inCellar(realPath))] as const),
  )
  return new Map(owners.flatMap(([path, owner]) => (owner ? [[path, owner] as const] : [])))
}

function inNix(realPath: string): Owner | undefined {
  const name = store.exec(realPath)?.[1]
  if (name === undefined) return undefined
  const [, packageName = name, version = null] = nameAndVersion.exec(name) ?? []
  return { package: packageName, source: 'nix', version, description: null }
}

async function inCellar(realPath: string): Promise<Owner | undefined> {
  const [, keg, name, version] = cellar.exec(realPath) ?? []
  if (keg === undefined || name === undefined || version === undefined) return undefined
  const formula = await readText(join(keg, '.brew', `${name}.rb`), 256 * 1024)
  const description = /^\s*desc "((?:[^"\\]|\\.)*)"/m.exec(formula ?? '')?.[1] ?? null
  return { package: name, source: 'brew', version, description }
}
