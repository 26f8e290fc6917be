import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { chmod, lstat, open, readdir, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Config } from '#config/config.ts'
import type { CodeGrants } from '#domain/code-capabilities.ts'
import { isBelow } from '#domain/code-paths.ts'
import { newId } from '#lib/id.ts'
import { possibleRuntimeFolders } from '#lib/runtime-folder.ts'
import { checkArrival, checkSize, fileAsked, fileFailed, violation } from './file-grant.ts'
import type { FileAsked } from './file-grant.ts'
import type { FileReach } from './workspace-files.ts'

// Files of the machine itself, in the folders that its configuration names. A path is opened without being followed into anything
// (O_PATH), and where the handle really is decides: whatever is renamed or linked meanwhile, nothing else is read or written.

const O_PATH = 0o10000000
const mostEntries = 10_000
/** What the system tells there of processes, ours among them, is no file. */
const neverFiles = ['/proc', '/sys', '/dev']

type Place = Pick<Config, 'home' | 'capabilities'>

export function openMachineFiles(files: CodeGrants['files'], config: () => Place): FileReach {
  return {
    async call(name, given, { signal, beforeSend }) {
      const asked = fileAsked(files, false, name, given)
      await beforeSend?.()
      signal.throwIfAborted()
      try {
        if (asked.verb === 'read') return await read(files, asked, config())
        if (asked.verb === 'list') return await list(asked, config())
        return await write(asked, config())
      } catch (error) {
        throw inWords(error, asked.path)
      }
    },
  }
}

async function read(files: CodeGrants['files'], asked: FileAsked, config: Place): Promise<string> {
  await using found = await open(asked.path, O_PATH)
  await checkPlace(asked, await pathOf(found), config)
  const stats = await found.stat()
  if (!stats.isFile()) throw fileFailed('not_a_file', `${asked.path} is not a file`, asked.path)
  checkSize(files, asked.path, stats.size)
  await using handle = await open(within(found), constants.O_RDONLY | constants.O_NONBLOCK)
  // It may grow meanwhile.
  const bytes = Buffer.alloc(Math.min(stats.size, files.maxBytes) + 1)
  let length = 0
  for (let got = -1; got !== 0 && length < bytes.length; length += got)
    got = (await handle.read(bytes, length, bytes.length - length, length)).bytesRead
  checkSize(files, asked.path, length)
  const content = bytes.subarray(0, length)
  if (!isUtf8(content)) throw fileFailed('not_text', `${asked.path} is not text in UTF-8`, asked.path)
  return content.toString('utf8')
}

async function list(asked: FileAsked, config: Place): Promise<{ name: string; type: string }[]> {
  await using folder = await open(asked.path, O_PATH | constants.O_DIRECTORY)
  await checkPlace(asked, await pathOf(folder), config)
  const entries = await readdir(within(folder), { withFileTypes: true })
  if (entries.length > mostEntries)
    throw fileFailed('too_many_files', `${asked.path} has more than ${mostEntries} files`, asked.path)
  return entries
    .map((entry) => ({ name: entry.name, type: kindOf(entry) }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** It is there whole, or not at all. A link of that name is replaced, and never followed. */
async function write(asked: FileAsked, config: Place): Promise<null> {
  await using folder = await open(dirname(asked.path), O_PATH | constants.O_DIRECTORY)
  const name = basename(asked.path)
  await checkPlace(asked, join(await pathOf(folder), name), config)
  const there = await lstat(within(folder, name)).catch(() => undefined)
  if (there?.isDirectory()) throw fileFailed('not_a_file', `${asked.path} is a folder`, asked.path)
  const draft = within(folder, `.${newId()}.tmp`)
  try {
    await writeFile(draft, asked.content, { flag: 'wx', mode: 0o644 })
    if (there?.isFile()) await chmod(draft, there.mode & 0o777)
    await rename(draft, within(folder, name))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  return null
}

/** Throws CodeFailed unless this is below what was granted, and that in a folder of the configuration, links and all. */
async function checkPlace({ path, grants }: FileAsked, real: string, config: Place): Promise<void> {
  const allowed = await Promise.all(config.capabilities.filesystem.allowedPaths.map(realOf))
  const granted = await Promise.all(grants.map(realOf))
  const within = granted.filter((one) => allowed.some((folder) => isBelow(one, folder)))
  checkArrival(within, path, real)
  const hidden = await Promise.all([config.home, ...possibleRuntimeFolders(config.home)].map(realOf))
  if ([...hidden, ...neverFiles].some((folder) => isBelow(real, folder)))
    throw violation(path, 'it is not a file for code')
}

const within = ({ fd }: FileHandle, name = ''): string => `/proc/self/fd/${fd}${name && `/${name}`}`

const pathOf = (handle: FileHandle): Promise<string> => readlink(within(handle))

/** What is not there yet is where it would be. */
async function realOf(path: string): Promise<string> {
  return realpath(path).catch(async () =>
    join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path)),
  )
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): string {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

const known: Record<string, readonly [reason: string, says: string]> = {
  ENOENT: ['path_not_found', 'is not there'],
  ENOTDIR: ['not_a_folder', 'is not a folder'],
  EACCES: ['path_not_permitted', 'may not be opened'],
  EPERM: ['path_not_permitted', 'may not be opened'],
  EROFS: ['path_not_permitted', 'is on a file system that can only be read'],
  ELOOP: ['path_too_long', 'leads through too many links'],
  ENAMETOOLONG: ['path_too_long', 'is too long'],
  ENOSPC: ['disk_full', 'cannot be written: the disk is full'],
  EDQUOT: ['disk_full', 'cannot be written: the disk quota is used up'],
}

function inWords(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  const code = 'code' in error ? String(error.code) : ''
  const [reason, says] = known[code] ?? ['failed', `could not be opened (${code})`]
  return fileFailed(reason, `${path} ${says}`, path)
}
