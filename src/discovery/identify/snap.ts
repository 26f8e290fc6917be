import { join } from 'node:path'
import type { Places } from '../places.ts'
import { readText } from '../read-bounded.ts'
import type { FindOwners, Owner } from './owner.ts'

/** Snaps: each name in `snap/bin` is a link to one and the same starter, so the name alone says whose it is: `snap` or `snap.app`. */
export function openSnap({ snap }: Places): FindOwners {
  const folder = `${join(snap, 'bin')}/`
  return async (files) => {
    const ours = files.filter(({ path }) => path.startsWith(folder))
    return new Map(
      await Promise.all(ours.map(async ({ path, name }) => [path, await ownerOf(name)] as const)),
    )
  }

  async function ownerOf(name: string): Promise<Owner> {
    const packageName = name.split('.')[0] ?? name
    const meta = (await readText(join(snap, packageName, 'current/meta/snap.yaml'), 256 * 1024)) ?? ''
    const value = (key: string) =>
      new RegExp(`^${key}:[ \\t]*(['"]?)(.+?)\\1[ \\t]*$`, 'm').exec(meta)?.[2] ?? null
    return { package: packageName, source: 'snap', version: value('version'), description: value('summary') }
  }
}
