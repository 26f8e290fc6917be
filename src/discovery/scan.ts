import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import type { Dirent, Stats } from 'node:fs'
import { access, readdir, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { hasCode } from '#lib/error-code.ts'
import { someAtATime } from '#lib/some-at-a-time.ts'
import { openTroubles } from './troubles.ts'
import type { Troubles } from './troubles.ts'
import type { Look, LookHow } from './port.ts'

export interface ScannedFile {
  /** As it is called. */
  path: string
  name: string
  realPath: string
  /** Another one when the file behind all links is another one, or was written to. */
  stamp: string
}

const atATime = 32
/** What a name may not have, as everywhere here: it would break lines, or read as another one. */
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** Every program of the folders. The first of a name wins, as in a shell: one that cannot be run hides none. */
export async function scan(
  folders: readonly string[],
  { signal, onProgress }: LookHow,
): Promise<{ files: ScannedFile[]; troubles: Look['troubles'] }> {
  const troubles = openTroubles()
  const files = new Map<string, ScannedFile>()
  const seen = new Set<string>()
  for (const [at, folder] of folders.entries()) {
    signal?.throwIfAborted()
    onProgress?.('scan', at, folders.length)
    const real = await realFolder(folder, troubles)
    // `/bin` is `/usr/bin` on most machines, and PATH names both.
    if (real === undefined || seen.has(real)) continue
    seen.add(real)
    const entries = await entriesOf(folder, real, troubles)
    const found = await someAtATime(
      entries.filter(({ name }) => !files.has(name.toString())),
      atATime,
      async (entry) => (signal?.aborted ? undefined : programAt(folder, real, entry, troubles)),
    )
    for (const file of found) if (file) files.set(file.name, file)
  }
  signal?.throwIfAborted()
  onProgress?.('scan', folders.length, folders.length)
  return { files: [...files.values()], troubles: troubles.all() }
}

async function realFolder(folder: string, troubles: Troubles): Promise<string | undefined> {
  if (folder === '') {
    troubles.add(
      '(empty)',
      'PATH has an empty entry, which would mean whatever folder one is in; it was skipped',
    )
  } else if (!isAbsolute(folder)) {
    troubles.add(
      folder,
      'is relative to whatever folder one is in, so it was skipped; PATH should name it absolutely',
    )
  } else if (unprintable.test(folder)) {
    troubles.add(folder, 'has a line break or another unprintable character in its name, so it was skipped')
  } else {
    try {
      if ((await stat(folder)).isDirectory()) return await realpath(folder)
      troubles.add(folder, 'is on PATH, but is not a folder')
    } catch (error) {
      troubles.add(folder, reasonOf(error, 'folder'))
    }
  }
  return undefined
}

async function entriesOf(folder: string, real: string, troubles: Troubles): Promise<Dirent<Buffer>[]> {
  try {
    const entries = await readdir(real, { withFileTypes: true, encoding: 'buffer' })
    return entries.filter((entry) => entry.isFile() || entry.isSymbolicLink())
  } catch (error) {
    troubles.add(folder, reasonOf(error, 'folder'))
    return []
  }
}

async function programAt(
  folder: string,
  real: string,
  entry: Dirent<Buffer>,
  troubles: Troubles,
): Promise<ScannedFile | undefined> {
  const name = entry.name.toString()
  const path = join(folder, name)
  const oddity = oddityOf(entry.name)
  try {
    const stats = await stat(oddity ? Buffer.concat([Buffer.from(`${real}/`), entry.name]) : path)
    if (!stats.isFile() || (stats.mode & 0o111) === 0) return undefined
    if (oddity) {
      troubles.add(path, `has ${oddity} in its name, so it was left out`)
      return undefined
    }
    const realName = entry.isSymbolicLink() ? await realpath(path, 'buffer') : Buffer.from(`${real}/${name}`)
    const realOddity = oddityOf(realName)
    if (realOddity) {
      troubles.add(path, `is a link to a file with ${realOddity} in its path, so it was left out`)
      return undefined
    }
    if (!(await canRun(stats, path))) return undefined
    return { path, name, realPath: realName.toString(), stamp: stampOf(stats) }
  } catch (error) {
    // What was there a moment ago and is not now is simply not there.
    if (hasCode(error, 'ENOENT') && !entry.isSymbolicLink()) return undefined
    troubles.add(path, reasonOf(error, 'link'))
    return undefined
  }
}

async function canRun({ mode }: Stats, path: string): Promise<boolean> {
  if ((mode & 0o111) === 0o111) return true
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

function oddityOf(name: Buffer): string | undefined {
  if (!isUtf8(name)) return 'bytes that are not UTF-8'
  return unprintable.test(name.toString()) ? 'a line break or another unprintable character' : undefined
}

const stampOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string =>
  `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`

function reasonOf(error: unknown, what: 'folder' | 'link'): string {
  if (hasCode(error, 'ELOOP')) return 'is a link that leads back to itself'
  if (hasCode(error, 'ENOENT'))
    return what === 'folder' ? 'is on PATH, but is not there' : 'is a link to a file that is not there'
  if (hasCode(error, 'ENOTDIR')) return 'leads through something that is not a folder'
  if (hasCode(error, 'EACCES'))
    return what === 'folder'
      ? 'may not be read by the user that Signalbox runs as'
      : 'leads to where the user that Signalbox runs as may not look'
  return error instanceof Error ? error.message : String(error)
}
