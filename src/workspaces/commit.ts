import type { Committed } from '#contract/workspace.ts'
import { commitOf, currentBranch } from './base.ts'
import type { Git } from './git.ts'
import { openGit } from './git.ts'
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
  const status = ['status', '--porcelain', '-z', '--ignore-submodules=dirty']
  if ((await git.ask('tell what has changed', status)) === '') return { commit: null, branch }
  if (!repository.isInside) await refuseUnfiltered(git)
  await git.ask(what, ['add', '--all'])
  const isSame =
    (await git.run(['diff', '--cached', '--quiet', '--ignore-submodules=dirty', 'HEAD', '--'])).code === 0
  if (isSame && !(await commitOf(git, 'MERGE_HEAD'))) return { commit: null, branch }
  await git.ask(what, ['commit', '--quiet', '--no-verify', '--no-gpg-sign', '--file=-'], {
    input: message,
    env: await identityFor(git, repository.isInside),
  })
  return { commit: (await commitOf(git, 'HEAD')) ?? null, branch }
}

/** Committed without its filter, a file that ought to be encrypted or kept elsewhere would go into the history as it is. */
async function refuseUnfiltered(git: Git): Promise<void> {
  if (git.leftOut.length === 0) return
  const changed = await git.run(['ls-files', '--modified', '--others', '--exclude-standard', '-z'])
  const named = await git.ask(what, ['check-attr', '-z', '--stdin', 'filter'], {
    input: changed.stdout.toString('utf8'),
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
