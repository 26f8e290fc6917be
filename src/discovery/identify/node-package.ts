import { readText } from '../read-bounded.ts'
import type { FindOwners, Owner } from './owner.ts'

/** The innermost package that a file is in, with its scope. */
const inPackage = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/@.][^/]*))\//

/** A program of npm is a link into the folder of its package. */
export const findNodePackages: FindOwners = async (files) => {
  const read = new Map<string, Promise<Owner | undefined>>()
  const owners = await Promise.all(
    files.map(async ({ path, realPath }) => {
      const [, folder, name] = inPackage.exec(realPath) ?? []
      if (folder === undefined || name === undefined) return []
      const reading = read.get(folder) ?? ownerOf(folder, name)
      read.set(folder, reading)
      const owner = await reading
      return owner ? [[path, owner] as const] : []
    }),
  )
  return new Map(owners.flat())
}

async function ownerOf(folder: string, name: string): Promise<Owner | undefined> {
  const text = await readText(`${folder}/package.json`, 1024 * 1024)
  if (text === undefined) return undefined
  const owner: Owner = { package: name, source: 'npm', version: null, description: null }
  try {
    const told: unknown = JSON.parse(text)
    if (typeof told !== 'object' || told === null) return owner
    if ('version' in told && typeof told.version === 'string') owner.version = told.version
    if ('description' in told && typeof told.description === 'string') owner.description = told.description
  } catch {
    // A package whose own words are broken is still the one whose folder it is.
  }
  return owner
}
