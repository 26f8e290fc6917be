import { constants } from 'node:fs'
import { open, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { notesFile } from './job.ts'
import type { Seen } from './job.ts'

const mostEntries = 500
const mostBytes = 4096

/** The top of a folder, bounded. */
export async function look(folder: string): Promise<Seen> {
  const files: string[] = []
  const folders: string[] = []
  let isCut = false
  for await (const entry of await opendir(folder)) {
    if (entry.name.startsWith('.')) continue
    if (files.length + folders.length >= mostEntries) {
      isCut = true
      break
    }
    if (entry.isDirectory()) folders.push(entry.name)
    else if (entry.isFile()) files.push(entry.name)
  }
  const readme = files.find((file) => /^readme(\.(md|txt|rst))?$/i.test(file))
  const text = readme === undefined ? undefined : await beginningOf(join(folder, readme))
  return { files: files.toSorted(), folders: folders.toSorted(), isCut, about: firstLine(text ?? '') }
}

const firstLine = (text: string): string | null =>
  text
    .split('\n')
    .map((line) => line.replace(/^[#=\s>*-]+/, '').trim())
    .find((line) => line !== '')
    ?.slice(0, 120) ?? null

/** Nothing when there is no such file, or none that may be read. Links are not followed: they may lead out of the folder. */
export async function beginningOf(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined)
  try {
    const read = await file?.read(Buffer.alloc(mostBytes), 0, mostBytes, 0)
    return read?.buffer.toString('utf8', 0, read.bytesRead)
  } finally {
    await file?.close()
  }
}

/** Writes the file of notes, and no other. */
export async function writeNotes(folder: string, text: string): Promise<void> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants
  const file = await open(join(folder, notesFile), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o644)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}
