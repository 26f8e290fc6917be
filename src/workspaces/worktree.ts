import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { chooseBase, commitOf, namedBase } from './base.ts'
import { committedSettings } from './committed-settings.ts'
import type { Git } from './git.ts'
import { openGit } from './git.ts'
import type { Ground } from './ground.ts'
import { foldersIn, makeFolder, removeTree } from './ground.ts'
import { copyIncluded } from './include.ts'
import type { Worktree } from './port.ts'
import { WorkspaceRefusal } from './port.ts'
import { repositoryAt } from './repository.ts'
import { noSettings } from './repository-settings.ts'
import { slugOf } from './slug.ts'
import type { WorktreeRecord } from './worktree-record.ts'
import { dropRecord, recordsOf, saveRecord, worktreeOf, worktreesOf } from './worktree-record.ts'

interface AskedWorktree {
  repository: string
  workspaceId: string
  slug: string
  base?: string | null
}

const checkoutMs = 600_000

/** Makes the worktree of a workspace, goes on with one that was begun, or answers with the one that is there. */
export async function addWorktree(ground: Ground, asked: AskedWorktree): Promise<Worktree> {
  const { places } = ground
  const repository = repositoryAt(asked.repository, false)
  const git = await openGit(repository, { isEnclosed: false })
  if (!(await commitOf(git, 'HEAD')))
    throw new WorkspaceRefusal(
      'not_a_repository',
      'The repository has no commit yet, so nothing can begin from it.',
    )

  const known = recordsOf(places).find(({ workspaceId }) => workspaceId === asked.workspaceId)
  if (known?.gitDir && existsSync(known.root)) {
    if (existsSync(known.gitDir)) return worktreeOf(known)
    throw new WorkspaceRefusal(
      'git_failed',
      'Git does not know this worktree any more: somebody has pruned it.',
    )
  }
  // Begun and not finished, so nobody has worked in it; or somebody has removed it, and its branch is what is left.
  if (known) await clearAway(git, repository.gitDir, known)
  const record = known ?? (await chooseName(ground, git, asked))
  saveRecord(places, record)
  try {
    const made = await make(git, record, repository.gitDir, asked.base)
    saveRecord(places, made)
    return worktreeOf(made)
  } catch (error) {
    await clearAway(git, repository.gitDir, record)
    if (!record.gitDir) dropRecord(places, record.root)
    throw error
  }
}

/** The first name that no branch and no folder has. */
async function chooseName(ground: Ground, git: Git, asked: AskedWorktree): Promise<WorktreeRecord> {
  const folder = worktreesOf(ground.places, asked.repository)
  const taken = new Set(recordsOf(ground.places).map(({ root }) => root))
  const slug = slugOf(asked.slug)
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? slug : `${slug}-${count}`
    const [root, branch] = [join(folder, name), `signalbox/${name}`]
    if (taken.has(root) || existsSync(root) || (await commitOf(git, `refs/heads/${branch}`))) continue
    return {
      workspaceId: asked.workspaceId,
      repository: asked.repository,
      root,
      branch,
      gitDir: null,
      baseRef: null,
      baseBranch: null,
      settings: noSettings,
      remarks: [],
    }
  }
}

async function make(
  git: Git,
  record: WorktreeRecord,
  commonDir: string,
  wanted: string | null | undefined,
): Promise<WorktreeRecord> {
  const { root, branch, repository } = record
  const base = record.baseRef
    ? { commit: record.baseRef, branch: record.baseBranch, remarks: [] }
    : wanted
      ? await namedBase(git, wanted)
      : await chooseBase(git)
  makeFolder(dirname(root))
  const isThere = record.baseRef && (await commitOf(git, `refs/heads/${branch}`))
  const what = isThere ? [root, branch] : ['--no-track', '-b', branch, root, base.commit]
  await git.ask('make a worktree', ['worktree', 'add', '--quiet', '--no-guess-remote', ...what], {
    timeoutMs: checkoutMs,
  })
  const { settings, remarks } = await committedSettings(git, base.commit)
  const included = await copyIncluded(git, repository, root)
  const unfiltered = git.leftOut.map(
    (filter) =>
      `Files with the filter ${filter} are as git stores them: the repository names it for itself, so it is not run.`,
  )
  return {
    ...record,
    gitDir: gitDirOf(root, commonDir),
    baseRef: base.commit,
    baseBranch: base.branch,
    settings,
    remarks: [...base.remarks, ...remarks, ...included, ...unfiltered],
  }
}

/** As git has just written it, before anybody else could. */
function gitDirOf(root: string, commonDir: string): string {
  const [, written = ''] = /^gitdir: (.+)\n?$/.exec(readFileSync(join(root, '.git'), 'utf8')) ?? []
  const gitDir = resolve(root, written)
  if (basename(dirname(gitDir)) !== 'worktrees' || !existsSync(join(gitDir, 'HEAD')))
    throw new WorkspaceRefusal('git_failed', 'Git made a worktree in a way that is not known here.')
  return join(commonDir, 'worktrees', basename(gitDir))
}

/** Removes what is left of a worktree, and not those of others that git misses. Its branch goes only if nobody could work on it. */
async function clearAway(git: Git, commonDir: string, record: WorktreeRecord): Promise<void> {
  await removeTree(record.root)
  for (const gitDir of foldersIn(join(commonDir, 'worktrees'))) {
    const pointer = join(gitDir, 'gitdir')
    if (existsSync(pointer) && readFileSync(pointer, 'utf8').trim() === join(record.root, '.git'))
      await removeTree(gitDir)
  }
  if (!record.gitDir) await git.run(['branch', '--quiet', '-D', '--end-of-options', record.branch])
}
