import { readText } from '../read-bounded.ts'

/** Where a package's file really is, when another package has put its own in that place. */
export type Divert = (path: string, packageName: string) => string

/** Three lines each: the place, where what belongs there is instead, and for whose sake (`:` is the administrator's). */
export async function readDiversions(path: string): Promise<Divert> {
  const lines = ((await readText(path, 16 * 1024 * 1024)) ?? '').split('\n')
  const diversions = new Map<string, { to: string; by: string }>()
  for (let at = 0; at + 2 < lines.length; at += 3)
    diversions.set(lines[at]!, { to: lines[at + 1]!, by: lines[at + 2]! })
  return (place, packageName) => {
    const diversion = diversions.get(place)
    return diversion && diversion.by !== packageName ? diversion.to : place
  }
}
