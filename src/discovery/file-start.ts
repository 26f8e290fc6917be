import { goModuleOf } from './elf/go-module.ts'
import type { GoModule } from './elf/go-module.ts'
import { isElf, readElfHeader } from './elf/header.ts'
import { librariesOf } from './elf/libraries.ts'
import { reading } from './read-bounded.ts'

/** What a file says of itself by its first bytes. */
export interface FileStart {
  kind: 'binary' | 'script' | 'other' | 'unreadable'
  /** The name of what runs a script: `bash`, `python3`. */
  interpreter: string | null
  libraries: readonly string[]
}

/** The headers of most programs, and the names of what they are linked against, are within that. */
const startSize = 4_096
/** Of macOS: Mach-O of either order and width, and several of them in one. */
const otherBinaries = new Set(['feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe'])
const unreadable: FileStart = { kind: 'unreadable', interpreter: null, libraries: [] }

/** Never rejects: what cannot be read is `unreadable`, and a broken file is linked against nothing. */
export async function readFileStart(path: string): Promise<FileStart> {
  const start = await reading(path, async (readAt): Promise<FileStart> => {
    const bytes = await readAt(0, startSize)
    if (isElf(bytes)) {
      const elf = await readElfHeader(bytes, readAt).catch(() => undefined)
      const libraries = elf ? await librariesOf(elf, bytes, readAt).catch(() => []) : []
      return { kind: 'binary', interpreter: null, libraries }
    }
    if (otherBinaries.has(bytes.toString('hex', 0, 4))) return { ...unreadable, kind: 'binary' }
    const interpreter = interpreterIn(bytes)
    return interpreter === undefined
      ? { ...unreadable, kind: 'other' }
      : { kind: 'script', interpreter, libraries: [] }
  })
  return start ?? unreadable
}

/** The module of Go that a program was built from, where it is one of Go. */
export const readGoModule = (path: string): Promise<GoModule | undefined> =>
  reading(path, async (readAt) => {
    const elf = await readElfHeader(await readAt(0, startSize), readAt)
    return elf && goModuleOf(elf, readAt)
  })

/** `#!/usr/bin/env -S node --flag` is node's, `#!/bin/sh -e` is sh's. */
function interpreterIn(bytes: Buffer): string | undefined {
  const line = /^#![ \t]*([^\n]*)/.exec(bytes.toString('latin1'))?.[1]
  if (line === undefined) return undefined
  const words = line
    .trim()
    .split(/[ \t]+/)
    .map((word) => word.replace(/.*\//, ''))
  const named = words[0] === 'env' ? words.slice(1).find((word) => !/^-|=/.test(word)) : words[0]
  return named ?? ''
}
