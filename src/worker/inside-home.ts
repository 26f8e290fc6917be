import { constants } from 'node:fs'
import { lstat, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { inside } from '#contract/host.ts'
import { Problem } from '#domain/problem.ts'
import { insideOwner } from '#lib/inside-owner.ts'
import type { LoginFile } from './login-files.ts'

// What is in a home inside walls an agent can write, and turn into a link at any moment. So it is walked from one opened folder
// to the next, and no link is followed.

const asFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

interface Folder {
  handle: FileHandle
  path: string
}

/** Where an agent of this session finds its home inside. */
export const insideHome = (homeId: string): string => `${inside.homes}/${homeId}`

/** Makes the home of a session, with these logins in it. Answers with its path inside. Throws a Problem. */
export async function makeHome(homes: string, homeId: string, logins: readonly LoginFile[]): Promise<string> {
  await mkdir(homes, { recursive: true, mode: 0o711 })
  const opened: Folder[] = []
  const enter = async (parent: Folder, name: string) => {
    const folder = await enterFolder(parent, name)
    opened.push(folder)
    return folder
  }
  try {
    const top = { handle: await open(homes, asFolder), path: homes }
    opened.push(top)
    const home = await enter(top, homeId)
    for (const { from, to } of logins) {
      const [name = '', ...folders] = to.split('/').toReversed()
      let folder = home
      for (const next of folders.toReversed()) folder = await enter(folder, next)
      await bring(from, folder, name)
    }
  } catch (error) {
    if (!isLink(error)) throw error
    throw new Problem(
      'workspace_failed',
      'The home of this session is not a folder any more: begin a new session',
    )
  } finally {
    await Promise.all(opened.map(({ handle }) => handle.close()))
  }
  return insideHome(homeId)
}

async function enterFolder(parent: Folder, name: string): Promise<Folder> {
  const path = within(parent, name)
  const isNew = await mkdir(path, { mode: 0o700 }).then(
    () => true,
    (error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
      return false
    },
  )
  const handle = await open(path, asFolder)
  if (isNew) await give(handle)
  return { handle, path: join(parent.path, name) }
}

/** Unless the agent has one that is as new: it renews its login by itself. */
async function bring(from: string, folder: Folder, name: string): Promise<void> {
  const content = await readFile(from).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (content === undefined) return
  const path = within(folder, name)
  const [ours, theirs] = [await stat(from), await lstat(path).catch(() => undefined)]
  if (theirs?.isFile() && theirs.mtimeMs >= ours.mtimeMs) return
  await rm(path, { force: true, recursive: true })
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    await file.writeFile(content)
    await give(file)
  } finally {
    await file.close()
  }
}

async function give(handle: FileHandle): Promise<void> {
  const { uid, gid } = insideOwner()
  if (uid !== process.getuid?.()) await handle.chown(uid, gid)
}

/** By what is open, and not by its path, where the system has a way to say that. */
const within = ({ handle, path }: Folder, name: string): string =>
  join(process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path, name)

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

const isLink = (error: unknown): boolean => hasCode(error, 'ELOOP') || hasCode(error, 'ENOTDIR')
