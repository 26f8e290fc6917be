import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { endProcess } from '#lib/process-end.ts'
import { identify } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'
import { commandLineOf, findProcesses } from '#lib/process-list.ts'

interface Postmaster extends ProcessIdentity {
  /** Undefined as long as it is still starting. */
  socketFolder: string | undefined
}

/**
 * Stands in the command line of the postmaster and in the title of each of its processes, where any user can read it.
 * It goes by the folder's inode, so a home that was moved still knows its own server.
 */
export function clusterName(data: string): string {
  const { dev, ino } = statSync(data)
  return `signalbox-${dev.toString(36)}-${ino.toString(36)}`
}

/** The living server of this data folder: not just a pid in a file, but really that process. */
export function findPostmaster(data: string): Postmaster | undefined {
  const [pid = '', , , , socketFolder] = readLockFile(data).split('\n')
  const identity = identify(Number(pid))
  return identity && isPostmaster(identity.pid, data)
    ? { ...identity, socketFolder: socketFolder || undefined }
    : undefined
}

const isPostmaster = (pid: number, data: string) =>
  commandLineOf(pid).includes(`cluster_name=${clusterName(data)} `)

/**
 * Clears what a killed server left behind, so that a new one can start at once: its orphaned processes, which would
 * hold the shared memory until they notice, and lock files that Postgres would believe.
 */
export async function clearLeftovers(data: string, socketFolder: string): Promise<void> {
  const orphans = findProcesses(`postgres: ${clusterName(data)}: `).flatMap((pid) => identify(pid) ?? [])
  // A server writes its lock file before it has children: if these have a living parent, it is found now.
  if (findPostmaster(data)) return
  await Promise.all(orphans.map((orphan) => endProcess(orphan, asPostmasterWould)))
  for (const file of [join(data, 'postmaster.pid'), join(socketFolder, '.s.PGSQL.5432.lock')])
    if (isMisleading(file)) rmSync(file, { force: true })
}

const asPostmasterWould = [
  { signal: 'SIGQUIT', patienceMs: 500 },
  { signal: 'SIGKILL', patienceMs: 2_000 },
] as const

/**
 * Postgres removes the lock file of a dead process by itself, but believes one whose pid belongs to somebody else by
 * now, and does not get past an empty one, which a full disk leaves.
 */
function isMisleading(file: string): boolean {
  const written = statSync(file, { throwIfNoEntry: false })
  if (!written) return false
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  if (pid === 0) return Date.now() - written.mtimeMs > 5_000
  return identify(pid) !== undefined && !/\bpostgres\b.* -D /.test(commandLineOf(pid))
}

function readLockFile(data: string): string {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8')
  } catch {
    return ''
  }
}
