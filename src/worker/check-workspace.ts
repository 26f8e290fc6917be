import { basename, isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '#config/config.ts'
import type { CheckWorkspace, CheckedWorkspace } from '#contract/internal.ts'
import type { WorkspaceSource } from '#contract/workspace.ts'
import { bodyMisfit } from '#domain/problem.ts'
import type { Workspaces } from '#workspaces/port.ts'
import { checkDriver } from './check-driver.ts'
import { checkSource, checkWorkingDir } from './check-paths.ts'

interface Needs {
  config: () => Config
  workspaces: Pick<Workspaces, 'driver' | 'placeOf' | 'archives'>
}

/** Whether this machine can have such a workspace at present, and where its files will be. Throws Problems. */
export async function checkWorkspace(needs: Needs, asked: CheckWorkspace): Promise<CheckedWorkspace> {
  await checkDriver(needs.workspaces, asked.driver)
  return checkPlaces(needs, asked)
}

/** The same, whether or not its driver works today. */
export async function checkPlaces(
  { config, workspaces }: Needs,
  { id, driver, root, source }: CheckWorkspace,
): Promise<CheckedWorkspace> {
  const { allowedWorkingDirs, home } = config()
  if (driver === 'folder') {
    const real = await checkWorkingDir(root ?? '', allowedWorkingDirs, home)
    return { root: real, name: basename(real) || real }
  }
  const place = source && placeIn(source)
  if (place) await checkSource(place, allowedWorkingDirs, home)
  if (source && 'archive' in source && !place) await checkArchive(workspaces, source.archive)
  return { root: workspaces.placeOf(id).root, name: nameFrom(source) ?? `${driver} ${id.slice(-8)}` }
}

/** A source by the real path of its place, if it has one here. What is there may be another thing than when it was asked for. */
export async function realSource(
  { allowedWorkingDirs, home }: Pick<Config, 'allowedWorkingDirs' | 'home'>,
  source: WorkspaceSource,
): Promise<WorkspaceSource> {
  const place = placeIn(source)
  if (!place) return source
  const real = await checkSource(place, allowedWorkingDirs, home)
  if ('path' in source) return { path: real }
  return 'archive' in source ? { archive: real } : { ...source, git: real }
}

/** The place on this machine that is read; nothing for what comes from elsewhere, and for an archive of ours. */
function placeIn(source: WorkspaceSource): string | undefined {
  if ('path' in source) return source.path
  if ('archive' in source) return isAbsolute(source.archive) ? source.archive : undefined
  const { git } = source
  if (/^file:/i.test(git)) return localPath(git)
  // What git takes for a path is one: neither an address, nor the short form of ssh.
  const isElsewhere = /^[a-z][a-z0-9+.-]*:\/\//i.test(git) || /^[^/]+:/.test(git)
  if (
    isElsewhere &&
    !/^(?:https?|ssh|git):\/\/[^-]/i.test(git) &&
    !/^[\w][\w.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?!:)/.test(git)
  )
    throw bodyMisfit('source.git', 'must be an https, ssh or file address, or a path of this machine')
  return isElsewhere ? undefined : git
}

function localPath(url: string): string {
  try {
    return fileURLToPath(url)
  } catch {
    throw bodyMisfit('source.git', 'is no address of a folder on this machine')
  }
}

async function checkArchive(workspaces: Needs['workspaces'], name: string): Promise<void> {
  if ((await workspaces.archives()).some((archive) => archive.name === name)) return
  throw bodyMisfit(
    'source.archive',
    `there is no archive ${name} on this machine, and it is no absolute path`,
  )
}

function nameFrom(source: WorkspaceSource | null): string | undefined {
  if (!source) return undefined
  const from = 'git' in source ? source.git : 'path' in source ? source.path : source.archive
  return (
    basename(from)
      .replace(/(?:\.git|\.tar(?:\.\w+)?)$/, '')
      .slice(0, 100) || undefined
  )
}
