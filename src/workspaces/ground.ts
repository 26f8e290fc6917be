import { existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { chmod, rm, statfs } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { hasCode } from '#lib/error-code.ts'
import { insideOwner } from '#lib/inside-owner.ts'
import type { Logger } from '#lib/log.ts'
import type { Places } from './places.ts'
import { WorkspaceRefusal } from './port.ts'
import { messageOf, runTool } from './run.ts'

/** What all work on files stands on. */
export interface Ground {
  places: Places
  log: Logger
  /** Whether what an agent behind walls can write is worked on behind walls. */
  isEnclosed(): Promise<boolean>
  /** Names of the drafts that are being worked on. */
  drafts: Set<string>
  minFreeBytes: number
  maxBytes: number
}

/** A folder for one piece of work, on the disk of everything else, and gone afterwards. */
export async function withDraft<T>(ground: Ground, work: (folder: string) => Promise<T>): Promise<T> {
  makeFolder(ground.places.drafts)
  const folder = mkdtempSync(join(ground.places.drafts, 'draft-'))
  const name = basename(folder)
  ground.drafts.add(name)
  try {
    return await work(folder)
  } finally {
    await removeTree(folder).catch((error: unknown) => {
      ground.log.warn({ error: messageOf(error) }, 'a draft could not be removed')
    })
    ground.drafts.delete(name)
  }
}

export const makeFolder = (folder: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
}

/** By their paths; none where there is nothing. */
export const foldersIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => join(folder, name))
    : []

/** Removes everything below, also where its owner has shut the folders. Links are removed, not followed. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch (error) {
    if (!hasCode(error, 'EACCES') && !hasCode(error, 'EPERM') && !hasCode(error, 'ENOTEMPTY')) throw error
    await runSystemTool(['chmod', '-R', 'u+rwX', '--', path])
    await rm(path, { recursive: true, force: true })
  }
}

/** Gives a folder that nobody else can reach yet to those inside, with everything below; links themselves, not what they point to. */
export async function giveToInside(path: string): Promise<void> {
  await chmod(path, 0o755)
  if (process.getuid?.() !== 0) return
  const { uid, gid } = insideOwner()
  const { code, stderr } = await runSystemTool(['chown', '-R', '-P', '-h', `${uid}:${gid}`, '--', path])
  if (code !== 0) throw new Error(`The files could not be given to their owner: ${stderr}`)
}

export const runSystemTool = (words: readonly string[], cwd = '/', timeoutMs = 600_000) =>
  runTool({
    words,
    cwd,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
    timeoutMs,
    maxBytes: 1024 * 1024,
  })

/** How much may still be written. Refuses when that is nothing. */
export async function roomOnDisk({ places, minFreeBytes }: Ground): Promise<number> {
  const { bavail, bsize } = await statfs(places.home)
  const room = bavail * bsize - minFreeBytes
  if (room > 0) return room
  throw new WorkspaceRefusal(
    'disk_full',
    `The disk is nearly full: less than ${Math.round(minFreeBytes / 1e6)} MB would stay free. Make room, or prune.`,
  )
}
