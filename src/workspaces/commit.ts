import type { Committed } from '#contract/workspace.ts'
import { commitOf, currentBranch } from './base.ts'
import type { Git } from './git.ts'
import { bytesOf, gitFailed, openGit, textOf } from './git.ts'
import type { Ground } from './ground.ts'
import { identityFor } from './identity.ts'
import { WorkspaceRefusal } from './port.ts'
import { repositoryOf } from './worktree-record.ts'

const what = 'commit'

/** Commits all that has changed. */
export async function commitAll(ground: Ground, root: string, message: string): Promise<Committed> {
  const repository = repositoryOf(ground.places, root)
  const isEnclosed = repository.isInside && (await ground.isEnclosed())
  const git = await openGit(repository, { isEnclosed })
  const branch = (await currentBranch(git)) ?? 'HEAD'
  const changed = await changesOf(git)
  const isMerging = (await commitOf(git, 'MERGE_HEAD')) !== undefined
  if (changed.length === 0 && !isMerging) return { commit: null, branch }
  if (!repository.isInside) await refuseUnfiltered(git, changed)
  await stage(git, changed)
  const isSame =
    (await git.run(['diff', '--cached', '--quiet', '--ignore-submodules=dirty', 'HEAD', '--'])).code === 0
  if (isSame && !isMerging) return { commit: null, branch }
  await git.ask(what, ['commit', '--quiet', '--no-verify', '--no-gpg-sign', '--file=-'], {
    input: message,
    env: await identityFor(git, repository.isInside),
  })
  return { commit: (await commitOf(git, 'HEAD')) ?? null, branch }
}

interface Changed {
  path: string
  isGone: boolean
}

/** All that is not as it was committed last. */
export async function changesOf(git: Git): Promise<Changed[]> {
  const words = '--porcelain -z --untracked-files=all --no-renames --ignore-submodules=dirty'.split(' ')
  const listed = await git.run(['status', ...words])
  if (listed.code !== 0) throw gitFailed('tell what has changed', listed)
  const lines = textOf(listed.stdout)
    .split('\0')
    .filter((line) => line !== '')
  return lines.map((line) => ({
    path: line.slice(3).replace(/\/$/, ''),
    isGone: /^(?:[ MARC]D|D )/.test(line),
  }))
}

/** Not by `git add`, which looks into the repositories within this one, by their own settings. */
async function stage(git: Git, changed: readonly Changed[]): Promise<void> {
  const listed = (isGone: boolean) =>
    changed.filter((one) => one.isGone === isGone).map(({ path }) => `${path}\0`)
  await git.ask(what, ['update-index', '--force-remove', '-z', '--stdin'], {
    input: bytesOf(listed(true).join('')),
  })
  await git.ask(what, ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], {
    input: bytesOf(listed(false).join('')),
  })
}

/** Committed without its filter, a file that ought to be encrypted or kept elsewhere would go into the history as it is. */
async function refuseUnfiltered(git: Git, changed: readonly Changed[]): Promise<void> {
  if (git.leftOut.length === 0) return
  const named = await git.ask(what, ['check-attr', '-z', '--stdin', 'filter'], {
    input: bytesOf(changed.map(({ path }) => `${path}\0`).join('')),
  })
  const words = named.split('\0')
  for (let at = 0; at + 2 < words.length; at += 3)
    if (git.leftOut.includes(words[at + 2] ?? ''))
      throw new WorkspaceRefusal(
        'git_failed',
        `${words[at]} goes through the filter ${words[at + 2]}, which only this repository names, so it is not run here. ` +
          'Commit it by hand, or set the filter for all your repositories (git config --global).',
      )
}
