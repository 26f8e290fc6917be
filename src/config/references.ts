import { valueAt } from '#lib/tree.ts'
import type { Path } from '#lib/tree.ts'
import type { ConfigFile } from './file.ts'

/** Of each server in `mcp.servers`, the places in it where a variable was put in, and what stands there. */
export type References = ReadonlyMap<string, readonly (readonly [path: Path, text: string])[]>

export function referencesIn({ value, written }: Pick<ConfigFile, 'value' | 'written'>): References {
  const found = new Map<string, [Path, string][]>()
  for (const [place, text] of written) {
    const [mcp, servers, name, field, ...rest] = JSON.parse(place) as string[]
    if (mcp !== 'mcp' || servers !== 'servers' || name === undefined || field === undefined) continue
    // `environment` wins, where both say something.
    const winner = ['mcp', 'servers', name, 'environment', ...rest]
    if (field === 'env' && valueAt(value, winner) !== undefined) continue
    const path = [field === 'environment' ? 'env' : field, ...rest]
    found.set(name, [...(found.get(name) ?? []), [path, text]])
  }
  return found
}
