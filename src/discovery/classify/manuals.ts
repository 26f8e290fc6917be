import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Places } from '../places.ts'
import { keptWhileUnchanged } from '../stamp.ts'
import { readManualLine } from './manual-line.ts'

export interface Manual {
  /** In which parts of the manual it has a page: `1` commands, `6` games, `8` administration. */
  sections: readonly string[]
  /** The one line that its page begins with, read when it is asked for. */
  line(): Promise<string | null>
}

const pageName = /^(.+)\.([168])[a-z]*(?:\.(?:gz|xz|bz2|zst|lzma))?$/
const parts = ['man1', 'man6', 'man8']

export type Manuals = (name: string) => Manual | undefined

/** The pages of programs, by name. The folders are read again when something came or went. */
export function openManuals({ manuals }: Places): () => Promise<Manuals> {
  const folders = manuals.flatMap((manual) => parts.map((part) => join(manual, part)))
  return keptWhileUnchanged(
    () => folders,
    async () => {
      /** The paths of each, one a line: there may be ten pages for every program, and few are asked for. */
      const pages = new Map<string, string>()
      for (const folder of folders)
        for (const file of await readdir(folder).catch(() => [])) {
          const name = pageName.exec(file)?.[1]
          if (name === undefined) continue
          const others = pages.get(name)
          pages.set(name, others === undefined ? `${folder}/${file}` : `${others}\n${folder}/${file}`)
        }
      const known = new Map<string, Manual>()
      return (name) => {
        const paths = pages.get(name)
        if (paths === undefined) return undefined
        const manual = known.get(name) ?? manualOf(paths.split('\n'))
        known.set(name, manual)
        return manual
      }
    },
  )
}

function manualOf(paths: readonly string[]): Manual {
  let line: Promise<string | null> | undefined
  return {
    sections: [...new Set(paths.map((path) => pageName.exec(path)?.[2] ?? ''))],
    line: () => (line ??= readManualLine(paths[0]!)),
  }
}
