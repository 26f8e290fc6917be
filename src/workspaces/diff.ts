import { copyFileSync, lstatSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkspaceDiff } from '#contract/workspace.ts'
import { commitOf, currentBranch } from './base.ts'
import { changesOf } from './commit.ts'
import type { Git } from './git.ts'
import { bytesOf, openGit, shownName, textOf } from './git.ts'
import type { Ground } from './ground.ts'
import { giveToInside, withDraft } from './ground.ts'
import { insideCall } from './inside.ts'
import { WorkspaceRefusal } from './port.ts'
import type { Repository } from './repository.ts'
import { runTool } from './run.ts'
import { recordOf, repositoryOf } from './worktree-record.ts'

const most = { diffBytes: 1024 * 1024, listBytes: 8 * 1024 * 1024, files: 5000 }
const plain = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=dirty', '--find-renames']

type Changed = Pick<WorkspaceDiff, 'files' | 'truncated'>

export function diffOf(
  ground: Ground,
  root: string,
  baseRef: string | null,
  path?: string,
): Promise<WorkspaceDiff> {
  return compared(ground, root, { baseRef, path }, async (git, asked, changed) => {
    const text = await git.run(['diff', '--src-prefix=a/', '--dst-prefix=b/', ...asked], {
      hasOwnIndex: true,
      maxBytes: most.diffBytes,
    })
    const diff = text.stdout.toString('utf8')
    return {
      branch: await currentBranch(git),
      baseRef: baseRef ?? (await commitOf(git, 'HEAD')) ?? null,
      mergesInto: recordOf(ground.places, root)?.baseBranch ?? null,
      uncommitted: (await changesOf(git)).length,
      files: changed.files,
      diff: text.isCut ? diff.slice(0, diff.lastIndexOf('\n') + 1) : diff,
      truncated: text.isCut || changed.truncated,
    }
  })
}

/** Only which files, and how many lines of each. */
export const changedFiles = (ground: Ground, root: string, baseRef: string | null): Promise<Changed> =>
  compared(ground, root, { baseRef }, async (_git, _asked, changed) => changed)

function compared<Told>(
  ground: Ground,
  root: string,
  { baseRef, path }: { baseRef: string | null; path?: string | undefined },
  tell: (git: Git, asked: string[], changed: Changed) => Promise<Told>,
): Promise<Told> {
  // An index of our own, because git shows files that it does not know only if they are in one.
  return withDraft(ground, async (scratch) => {
    const repository = repositoryOf(ground.places, root)
    const isEnclosed = repository.isInside && (await ground.isEnclosed())
    if (repository.isInside) await giveToInside(scratch)
    const git = await openGit(repository, { isEnclosed, scratch })
    await copyIndex(repository, scratch, isEnclosed)
    const untracked = await listUntracked(git)
    const base = await baseOf(git, baseRef)
    const asked = [...plain, base, '--', ...(path === undefined ? [] : [`:(literal,top)${path}`])]
    await git.ask('tell what is new', ['update-index', '-z', '--index-info'], {
      input: bytesOf(await entriesFor(git, untracked)),
      hasOwnIndex: true,
    })
    const listed = await git.run(['diff', '--raw', '--numstat', '-z', ...asked], {
      hasOwnIndex: true,
      maxBytes: most.listBytes,
    })
    if (listed.code !== 0 && !listed.isCut)
      await git.ask('tell what has changed', ['diff', '--stat', ...asked])
    const files = parseChanges(textOf(listed.stdout), untracked)
    const truncated = listed.isCut || files.length > most.files
    return tell(git, asked, { files: files.slice(0, most.files), truncated })
  })
}

/** With its time, by which git knows of which files it cannot be sure: those that were written at that very moment. */
async function copyIndex(repository: Repository, scratch: string, isEnclosed: boolean): Promise<void> {
  const index = join(repository.gitDir, 'index')
  if (!isEnclosed) {
    const found = lstatSync(index, { throwIfNoEntry: false })
    if (!found?.isFile()) return
    copyFileSync(index, join(scratch, 'index'))
    utimesSync(join(scratch, 'index'), found.atime, found.mtime)
    return
  }
  const shown = { root: repository.root, scratch }
  const words = (at: { root: string; scratch?: string | undefined }) => [
    'cp',
    '--',
    `${at.root}/.git/index`,
    `${at.scratch}/index`,
  ]
  const call = insideCall(shown, { words, env: {}, timeoutMs: 60_000, mayWrite: false, isEnclosed })
  await runTool({ ...call, maxBytes: 10_000 }) // without one, git begins with an empty one
}

async function listUntracked(git: Git): Promise<Set<string>> {
  const words = ['ls-files', '--others', '--exclude-standard', '-z']
  const { stdout } = await git.run(words, { hasOwnIndex: true, maxBytes: most.listBytes })
  // One that ends with a slash is a repository of its own.
  const paths = textOf(stdout).split('\0').slice(0, -1)
  return new Set(paths.filter((path) => !path.endsWith('/')))
}

/** Not by `git add`, which looks into the repositories within this one, by their own settings. */
async function entriesFor(git: Git, paths: ReadonlySet<string>): Promise<string> {
  const empty = await git.ask('tell what is new', ['hash-object', '-t', 'blob', '--no-filters', '/dev/null'])
  return [...paths].map((path) => `100644 ${empty} 0\t${path}\0`).join('')
}

async function baseOf(git: Git, baseRef: string | null): Promise<string> {
  if (baseRef === null)
    return (
      (await commitOf(git, 'HEAD')) ??
      (await git.ask('compare with nothing', ['hash-object', '-t', 'tree', '/dev/null']))
    )
  const base = baseRef.startsWith('-') ? undefined : await commitOf(git, baseRef)
  if (!base)
    throw new WorkspaceRefusal('git_failed', 'The commit that this work began from is not there any more.')
  return base
}

type Change = WorkspaceDiff['files'][number]
const changes: Record<string, Change['change']> = { A: 'added', D: 'deleted', R: 'renamed', C: 'added' }

/** `git diff --raw --numstat -z`: first what kind each change is, then its lines. */
export function parseChanges(listed: string, untracked: ReadonlySet<string>): Change[] {
  const words = listed.split('\0')
  const found = new Map<string, Change>()
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const kind = /^:\d+ \d+ \S+ \S+ ([A-Z])\d*$/.exec(word)?.[1]
    if (kind) {
      const isMoved = kind === 'R' || kind === 'C'
      const path = words[(at += isMoved ? 2 : 1)] ?? ''
      const change = kind === 'A' && untracked.has(path) ? 'untracked' : (changes[kind] ?? 'modified')
      found.set(path, { path: shownName(path), change, additions: null, deletions: null })
      continue
    }
    const [, additions, deletions, name] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(word) ?? []
    if (name === undefined) continue
    const change = found.get(name === '' ? (words[(at += 2)] ?? '') : name)
    if (!change || additions === '-') continue
    change.additions = Number(additions)
    change.deletions = Number(deletions)
  }
  return [...found.values()]
}
