import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Merged } from '#contract/workspace.ts'
import { commitOf, currentBranch } from './base.ts'
import { changesOf } from './commit.ts'
import type { Git } from './git.ts'
import { gitFailed, openGit } from './git.ts'
import type { Ground } from './ground.ts'
import { identityFor } from './identity.ts'
import { WorkspaceRefusal } from './port.ts'
import { repositoryAt } from './repository.ts'
import { recordOf, repositoryOf } from './worktree-record.ts'

export interface AskedMerge {
  root: string
  repository: string
  branch: string
  into?: string | undefined
}

/** Merges without a working tree; then moves the branch, and the files where it is checked out, or neither. */
export async function mergeBranch(ground: Ground, asked: AskedMerge): Promise<Merged> {
  const repository = repositoryAt(asked.repository, false)
  const git = await openGit(repository, { isEnclosed: false })
  const current = await currentBranch(git)
  const into = await chooseTarget(git, asked, [recordOf(ground.places, asked.root)?.baseBranch, current])
  const target = `refs/heads/${into}`
  const [ours, theirs] = [await commitOf(git, target), await commitOf(git, `refs/heads/${asked.branch}`)]
  if (!ours) throw new WorkspaceRefusal('git_failed', `There is no branch ${into} to merge into.`)
  if (!theirs) throw new WorkspaceRefusal('git_failed', `The branch ${asked.branch} is not there any more.`)
  const isIn = async (one: string, other: string) =>
    (await git.run(['merge-base', '--is-ancestor', one, other])).code === 0
  const uncommitted = await uncommittedIn(ground, asked.root)
  if (await isIn(theirs, ours)) return { into, commit: ours, wasUpToDate: true, uncommitted }

  const isCheckedOut = current === into
  if (isCheckedOut) await refuseUnclean(git, repository.gitDir, into)
  else await refuseElsewhere(git, target, into)
  const commit = (await isIn(ours, theirs))
    ? theirs
    : await mergeCommit(git, { ...asked, into, ours, theirs })
  if (isCheckedOut) await git.ask('update the files', ['read-tree', '-m', '-u', ours, commit])
  const moved = await git.run(['update-ref', '-m', `merge ${asked.branch}`, target, commit, ours])
  if (moved.code === 0) return { into, commit, wasUpToDate: false, uncommitted }
  if (isCheckedOut) await git.ask('put the files back', ['read-tree', '-m', '-u', commit, ours])
  throw gitFailed(`move the branch ${into}`, moved)
}

/** How many files of the worktree a merge leaves behind, because nobody has committed what changed in them. */
async function uncommittedIn(ground: Ground, root: string): Promise<number> {
  const repository = repositoryOf(ground.places, root)
  const git = await openGit(repository, { isEnclosed: repository.isInside && (await ground.isEnclosed()) })
  return (await changesOf(git)).length
}

async function chooseTarget(
  git: Git,
  { into }: AskedMerge,
  wished: (string | null | undefined)[],
): Promise<string> {
  if (into !== undefined) return into
  for (const branch of wished) if (branch && (await commitOf(git, `refs/heads/${branch}`))) return branch
  throw new WorkspaceRefusal(
    'git_failed',
    'No branch is checked out in the repository. Say which one to merge into.',
  )
}

/** Somebody's own work lies there: it is theirs to put away first. */
async function refuseUnclean(git: Git, gitDir: string, into: string): Promise<void> {
  const begun = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply']
  if (begun.some((name) => existsSync(join(gitDir, name))))
    throw new WorkspaceRefusal(
      'merge_conflict',
      'A merge or a rebase is under way in the repository. Finish it first.',
    )
  const words = ['status', '--porcelain', '-z', '--untracked-files=no', '--ignore-submodules=dirty']
  const changed = (await git.ask('tell what has changed', words)).split('\0').filter((line) => line !== '')
  if (changed.length === 0) return
  const paths = changed.map((line) => line.slice(3))
  throw new WorkspaceRefusal(
    'merge_conflict',
    `${into} is checked out in the repository with changes that are not committed: ` +
      `${namesOf(paths)}. Commit them or put them away first.`,
    { files: paths.slice(0, mostNamed), into, where: 'repository' },
  )
}

/** Moved under another worktree, that one would look as if somebody had undone everything. */
async function refuseElsewhere(git: Git, target: string, into: string): Promise<void> {
  const listed = await git.ask('list the worktrees', ['worktree', 'list', '--porcelain'])
  if (listed.split('\n').includes(`branch ${target}`))
    throw new WorkspaceRefusal(
      'merge_conflict',
      `${into} is checked out in another worktree. Merge it there.`,
    )
}

interface TwoSides extends AskedMerge {
  into: string
  ours: string
  theirs: string
}

async function mergeCommit(git: Git, { branch, into, ours, theirs, repository }: TwoSides): Promise<string> {
  const merged = await git.run([
    'merge-tree',
    '--write-tree',
    '--name-only',
    '-z',
    '--no-messages',
    ours,
    theirs,
  ])
  const [tree = '', ...files] = merged.stdout.toString('utf8').split('\0')
  if (merged.code === 1) {
    const paths = [...new Set(files.filter(Boolean))]
    throw new WorkspaceRefusal(
      'merge_conflict',
      `${branch} and ${into} change the same places of ${namesOf(paths)}. ` +
        `Nothing was merged. Merge ${into} into the worktree, settle it there, and try again.`,
      { files: paths.slice(0, mostNamed), into, branch, where: 'worktree' },
    )
  }
  if (merged.code !== 0) throw gitFailed(`merge ${branch} (git 2.38 or newer is needed)`, merged)
  const message = `Merge branch '${branch}' into ${into}\n`
  return git.ask('write the merge', ['commit-tree', tree, '-p', ours, '-p', theirs], {
    input: message,
    env: await identityFor(git, repository === ''),
  })
}

const mostNamed = 1000

function namesOf(paths: string[]): string {
  const more = paths.length > 20 ? ` and ${paths.length - 20} more` : ''
  return `${paths.slice(0, 20).join(', ')}${more}`
}
