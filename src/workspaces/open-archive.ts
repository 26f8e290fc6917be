import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import type { Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { hold } from './held.ts'
import { WorkspaceRefusal } from './port.ts'

/** Opens a file and nothing else: neither what a link points to, nor a pipe that nobody writes. */
export function openPlainFile(path: string): Promise<FileHandle> {
  return checkFile(open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK))
}

/** The same, and no link on the way to it either. */
export function openRealFile(path: string): Promise<FileHandle> {
  return checkFile(hold(path, 0).then(({ handle }) => handle))
}

async function checkFile(opening: Promise<FileHandle>): Promise<FileHandle> {
  const notFound = new WorkspaceRefusal('archive_not_found', 'There is no such archive.')
  const handle = await opening.catch((error: unknown) => {
    throw error instanceof WorkspaceRefusal ? error : notFound
  })
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw notFound
}

/** What takes a file's compression off, by how it begins. */
export async function layersOf(file: FileHandle): Promise<Transform[]> {
  const begin = Buffer.alloc(512)
  await file.read(begin, 0, begin.length, 0)
  if (begin.readUInt32LE(0) === 0xfd2fb528) return [createZstdDecompress()]
  if (begin.readUInt16BE(0) === 0x1f8b) return [createGunzip()]
  if (begin.toString('latin1', 257, 262) === 'ustar') return []
  throw new WorkspaceRefusal(
    'does_not_fit',
    'This is not an archive: it must be a tar, a tar.gz or a tar.zst.',
  )
}
