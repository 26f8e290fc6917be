import { inert } from '#lib/inert-text.ts'
import type { Look } from './port.ts'

export interface Troubles {
  add(path: string, reason: string): void
  all(): Look['troubles']
}

const mostOfAFolder = 100

/** What could not be looked at. A folder full of broken links does not drown what is told of the others. */
export function openTroubles(): Troubles {
  const kept: Look['troubles'] = []
  const counts = new Map<string, number>()
  return {
    add(path, reason) {
      const folder = path.slice(0, path.lastIndexOf('/'))
      const count = (counts.get(folder) ?? 0) + 1
      counts.set(folder, count)
      if (count <= mostOfAFolder) kept.push({ path: printable(path), reason })
    },
    all: () => [
      ...kept,
      ...[...counts]
        .filter(([, count]) => count > mostOfAFolder)
        .map(([folder, count]) => ({
          path: printable(folder),
          reason: `${count - mostOfAFolder} more in here could not be looked at`,
        })),
    ],
  }
}

const printable = (path: string): string =>
  inert(path.replaceAll('\n', String.raw`\n`).replaceAll('\t', String.raw`\t`))
