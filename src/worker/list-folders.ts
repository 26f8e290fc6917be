import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Config } from '#config/config.ts'
import type { Folder } from '#contract/workspace.ts'
import type { Workspaces } from '#workspaces/port.ts'
import { checkWorkingDir } from './check-paths.ts'

interface Needs {
  config: () => Config
  workspaces: Pick<Workspaces, 'isRepository'>
}

const mostBelow = 100

/**
 * The folders that a person may begin in: those that the machine allows, and the repositories right below one that is none
 * itself. With a path only that one. Throws a Problem when that is not allowed.
 */
export async function listFolders({ config, workspaces }: Needs, wanted?: string): Promise<Folder[]> {
  const { allowedWorkingDirs, home } = config()
  const look = async (path: string): Promise<Folder> => {
    const real = await checkWorkingDir(path, allowedWorkingDirs, home)
    return { path: real, name: basename(real) || real, isRepository: await workspaces.isRepository(real) }
  }
  if (wanted !== undefined) return [await look(wanted)]
  const tops = await lookAtAll(allowedWorkingDirs, look)
  const below = await Promise.all(
    tops.map(async (top) => (top.isRepository ? [] : lookAtAll(await repositoriesIn(top.path), look))),
  )
  const all = tops.flatMap((top, index) => [top, ...(below[index] ?? [])])
  return [...new Map(all.map((folder) => [folder.path, folder])).values()]
}

/** One that cannot be had is left out. */
async function lookAtAll(
  paths: readonly string[],
  look: (path: string) => Promise<Folder>,
): Promise<Folder[]> {
  const found = await Promise.all(paths.map((path) => look(path).catch(() => undefined)))
  return found.filter((folder) => folder !== undefined)
}

async function repositoriesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
  const below = folders.slice(0, mostBelow).map(({ name }) => join(folder, name))
  return below.filter((path) => existsSync(join(path, '.git'))).toSorted()
}
