import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'
import { Problem } from '#domain/problem.ts'

// What may run and where, by real paths: a link out of an allowed folder is outside.

/** Where programs may lie. */
export interface BinaryDirs {
  dirs: readonly string[]
  /**
   * Whether a link that stands in one of them may lead elsewhere. In the folders of PATH most programs are such links
   * (claude, codex, java), and whoever can put one there owns the machine; a list that somebody wrote means what it says.
   */
  linksLeadOut: boolean
  /** Programs of Signalbox itself, which may lie anywhere. */
  ours?: readonly string[]
}

/** The path of a program that this machine lets agents run, as it is to be called. */
export async function checkBinary(path: string, allowed: BinaryDirs): Promise<string> {
  const refuse = (why: string, code: 'does_not_fit' | 'binary_not_allowed' = 'does_not_fit') =>
    new Problem(code, `The program ${path} ${why}`, { field: 'binaryPath', path })
  const [real, folder] = [await resolved(path), await resolved(dirname(path))]
  if (!isAbsolute(path) || real === undefined || folder === undefined) throw refuse('does not exist')
  const dirs = await realDirs(allowed.dirs)
  const isOurs = allowed.ours?.includes(path) ?? false
  if (!isOurs && (!isWithin(folder, dirs) || !(allowed.linksLeadOut || isWithin(real, dirs))))
    throw refuse(
      `${real === path ? '' : `(really ${real}) `}is not in a folder that this machine allows (ALLOWED_BINARY_DIRS: ${allowed.dirs.join(':')})`,
      'binary_not_allowed',
    )
  if (!(await stat(real)).isFile()) throw refuse('is not a file')
  const isExecutable = await access(real, constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!isExecutable) throw refuse('is not executable')
  return normalize(path)
}

/** The real path of a folder that this machine lets agents work in. */
export async function checkWorkingDir(
  path: string,
  allowedDirs: readonly string[],
  home: string,
): Promise<string> {
  const context = { field: 'workingDir', path }
  const real = await allowedPlace(path, { allowedDirs, home, what: 'The folder', context })
  if (!(await stat(real)).isDirectory()) throw new Problem('does_not_fit', `${path} is not a folder`, context)
  return real
}

/** The real path of a file or folder that a workspace may be made from. */
export function checkSource(path: string, allowedDirs: readonly string[], home: string): Promise<string> {
  return allowedPlace(path, { allowedDirs, home, what: 'The source', context: { field: 'source', path } })
}

interface Rules {
  allowedDirs: readonly string[]
  home: string
  what: string
  context: Record<string, unknown>
}

async function allowedPlace(path: string, { allowedDirs, home, what, context }: Rules): Promise<string> {
  const real = isAbsolute(path) ? await resolved(path) : undefined
  if (real === undefined) throw new Problem('does_not_fit', `${what} ${path} does not exist`, context)
  const dirs = await realDirs(allowedDirs)
  if (!isWithin(real, dirs))
    throw new Problem(
      'working_dir_not_allowed',
      `${what} ${path}${real === path ? '' : ` (really ${real})`} is not in a folder that this machine allows (ALLOWED_WORKING_DIRS: ${allowedDirs.join(':')})`,
      context,
    )
  if (isWithin(real, [(await resolved(home)) ?? home]))
    throw new Problem(
      'working_dir_not_allowed',
      `${what} ${path} is in Signalbox's own home, where its keys are`,
      context,
    )
  return real
}

/** The real path of a worktree that was made for a session. They lie in the home, apart from everything else in it. */
export async function checkWorktree(path: string, home: string): Promise<string> {
  const [real, worktrees] = [await resolved(path), await resolved(worktreesOf(home))]
  if (real === undefined || worktrees === undefined)
    throw new Problem(
      'workspace_failed',
      `The worktree ${path} is gone: remove the workspace, and begin anew`,
    )
  if (real === worktrees || !isWithin(real, [worktrees]))
    throw new Problem('working_dir_not_allowed', `${path} (really ${real}) is no worktree of Signalbox's`)
  if (!(await stat(real)).isDirectory()) throw new Problem('workspace_failed', `${path} is not a folder`)
  return real
}

export const worktreesOf = (home: string): string => join(home, 'worktrees')

const isWithin = (path: string, dirs: readonly string[]) =>
  dirs.some((dir) => path === dir || path.startsWith(dir.endsWith(sep) ? dir : dir + sep))

async function realDirs(dirs: readonly string[]): Promise<string[]> {
  const real = await Promise.all(dirs.map(resolved))
  return real.filter((dir) => dir !== undefined)
}

const resolved = (path: string) => realpath(path).catch(() => undefined)
