import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { goModuleOf } from './elf/go-module.ts'
import { isElf, readElfHeader } from './elf/header.ts'
import type { ReadAt } from './elf/header.ts'
import { librariesOf } from './elf/libraries.ts'

/** What a file says of itself by its first bytes. */
export interface FileStart {
  kind: 'binary' | 'script' | 'other' | 'unreadable'
  /** The name of what runs a script: `bash`, `python3`. */
  interpreter: string | null
  libraries: readonly string[]
}

const startSize = 2_048
const mostAtOnce = 1024 * 1024
/** Of macOS: Mach-O of either order and width, and several of them in one. */
const otherBinaries = ['feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe']

/** Never rejects: what cannot be read is `unreadable`, and a broken file is linked against nothing. */
export async function readFileStart(path: string): Promise<FileStart> {
  const start: FileStart = { kind: 'unreadable', interpreter: null, libraries: [] }
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const readAt = readerOf(file)
    const bytes = await readAt(0, startSize)
    if (isElf(bytes)) {
      const elf = await readElfHeader(bytes, readAt).catch(() => undefined)
      const libraries = elf ? await librariesOf(elf, readAt).catch(() => []) : []
      return { ...start, kind: 'binary', libraries }
    }
    if (otherBinaries.includes(bytes.toString('hex', 0, 4))) return { ...start, kind: 'binary' }
    const interpreter = interpreterIn(bytes)
    return interpreter === undefined ? { ...start, kind: 'other' } : { ...start, kind: 'script', interpreter }
  } catch {
    return start
  }
}

/** The module of Go that a program was built from, where it is one of Go. */
export async function readGoModule(path: string): Promise<Awaited<ReturnType<typeof goModuleOf>>> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const readAt = readerOf(file)
    const elf = await readElfHeader(await readAt(0, startSize), readAt)
    return elf && (await goModuleOf(elf, readAt))
  } catch {
    return undefined
  }
}

const readerOf =
  (file: FileHandle): ReadAt =>
  async (offset, length) => {
    const bytes = Buffer.allocUnsafe(Math.min(length, mostAtOnce))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset)
    return bytes.subarray(0, bytesRead)
  }

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
