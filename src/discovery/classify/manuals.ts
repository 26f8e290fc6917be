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

/** The pages of programs, by name. The folders are read again when something came or went. */
export function openManuals({ manuals }: Places): () => Promise<ReadonlyMap<string, Manual>> {
  const folders = manuals.flatMap((manual) => parts.map((part) => join(manual, part)))
  return keptWhileUnchanged(
    () => folders,
    async () => {
      const pages = new Map<string, { section: string; path: string }[]>()
      for (const folder of folders)
        for (const file of await readdir(folder).catch(() => [])) {
          const [, name, section] = pageName.exec(file) ?? []
          if (name === undefined || section === undefined) continue
          const page = { section, path: join(folder, file) }
          const others = pages.get(name)
          if (others) others.push(page)
          else pages.set(name, [page])
        }
      return new Map([...pages].map(([name, ofName]) => [name, manualOf(name, ofName)]))
    },
  )
}

function manualOf(name: string, pages: readonly { section: string; path: string }[]): Manual {
  let line: Promise<string | null> | undefined
  return {
    sections: [...new Set(pages.map(({ section }) => section))],
    line: () => (line ??= readManualLine(pages[0]!.path, name)),
  }
}
