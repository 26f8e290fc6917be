import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { WorkspaceRefusal } from './port.ts'

/** A repository by its parts, which are never looked up in what an agent could have written. */
export interface Repository {
  /** Its working tree. */
  root: string
  gitDir: string
  /** Of a worktree: the git folder of the repository that it is of. */
  commonDir: string | null
  /** Whether its files belong to a sandbox or a container. */
  isInside: boolean
}

/** A repository at the top of a folder. One whose git folder lies elsewhere is refused: it could lie anywhere. */
export function repositoryAt(root: string, isInside: boolean): Repository {
  const gitDir = join(root, '.git')
  const found = lstatSync(gitDir, { throwIfNoEntry: false })
  if (!found) throw new WorkspaceRefusal('not_a_repository', 'This workspace is not a git repository.')
  if (!found.isDirectory())
    throw new WorkspaceRefusal(
      'not_a_repository',
      'The git folder of this workspace lies somewhere else, so git is not run here.',
    )
  return { root, gitDir, commonDir: null, isInside }
}

const most = 200_000

/** Git writes through links in its own folder; without walls around it, that must have none. */
export function refuseLinks(root: string): void {
  if (process.getuid?.() === 0)
    throw new WorkspaceRefusal(
      'git_failed',
      'Git is not run as root on files that an agent can write, and bubblewrap does not work here. ' +
        'Install bubblewrap, or run Signalbox as a user of its own.',
    )
  let seen = 0
  const look = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      seen += 1
      if (entry.isSymbolicLink() || seen > most)
        throw new WorkspaceRefusal(
          'git_failed',
          entry.isSymbolicLink()
            ? 'There is a link in the git folder of this workspace, so git is not run on it.'
            : 'The git folder of this workspace has too many files to look at.',
        )
      if (entry.isDirectory()) look(join(folder, entry.name))
    }
  }
  look(join(root, '.git'))
}
