import { constants, existsSync, lstatSync } from 'node:fs'
import { copyFile, lstat, mkdir, readlink, symlink } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { hasCode } from '#lib/error-code.ts'
import type { Git } from './git.ts'
import { reasonOf } from './git.ts'
import { messageOf } from './run.ts'

const includeFile = '.worktreeinclude'
const most = { files: 10_000, bytes: 1024 * 1024 * 1024 }

/**
 * Copies what `.worktreeinclude` names, in the words of .gitignore, of the files that git does not know: `.env` and the like.
 * Answers with what was left out.
 */
export async function copyIncluded(git: Git, repository: string, worktree: string): Promise<string[]> {
  const list = join(repository, includeFile)
  if (!existsSync(list)) return []
  if (!lstatSync(list).isFile()) return [`${includeFile} is not used: it is not a file.`]
  const words = ['ls-files', '--others', '--ignored', `--exclude-from=${list}`, '-z']
  const found = await git.run(words, { timeoutMs: 60_000, maxBytes: 8 * 1024 * 1024 })
  if (found.code !== 0 && !found.isCut) return [`${includeFile} could not be used: ${reasonOf(found)}`]

  const paths = found.stdout.toString('utf8').split('\0').slice(0, -1)
  const remarks: string[] = []
  let bytes = 0
  for (const path of paths.slice(0, most.files)) {
    try {
      bytes += await copyOne(repository, worktree, path, most.bytes - bytes)
    } catch (error) {
      remarks.push(`${path} was not copied: ${messageOf(error)}`)
    }
  }
  if (found.isCut || paths.length > most.files)
    remarks.push(`${includeFile} names more than ${most.files} files; the others were not copied.`)
  return remarks.length > 20 ? [...remarks.slice(0, 20), `and ${remarks.length - 20} more.`] : remarks
}

/** Answers with how much was copied. A link is copied as a link, and none is followed on the way. */
async function copyOne(from: string, to: string, path: string, room: number): Promise<number> {
  await refuseLinkedFolders(from, path)
  await refuseLinkedFolders(to, path)
  const [source, target] = [join(from, path), join(to, path)]
  const found = await lstat(source)
  if (!found.isFile() && !found.isSymbolicLink()) throw new Error('it is not a file')
  if (found.size > room) throw new Error('all of them together are too large')
  await mkdir(dirname(target), { recursive: true })
  try {
    if (found.isSymbolicLink()) await symlink(await readlink(source), target)
    else await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error // what is committed at the base stays as it is
  }
  return found.isFile() ? found.size : 0
}

async function refuseLinkedFolders(root: string, path: string): Promise<void> {
  const folders = path.split(sep).slice(0, -1)
  for (let depth = 1; depth <= folders.length; depth += 1) {
    const folder = join(root, ...folders.slice(0, depth))
    const found = await lstat(folder).catch(() => undefined)
    if (found?.isSymbolicLink()) throw new Error('a folder on the way is a link')
  }
}
