import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { replaceFile } from '#lib/durable-file.ts'
import { commitOf } from './base.ts'
import type { Git } from './git.ts'
import { openGit } from './git.ts'
import type { Ground } from './ground.ts'
import { makeFolder, removeTree } from './ground.ts'
import { identityFor } from './identity.ts'
import { isBelow, placeIn, safeName } from './places.ts'
import type { Trashed } from './port.ts'
import { WorkspaceRefusal } from './port.ts'
import { repositoryAt } from './repository.ts'
import { messageOf } from './run.ts'
import type { WorktreeRecord } from './worktree-record.ts'
import { dropRecord, recordOf, repositoryOf, saveRecord } from './worktree-record.ts'

// A snapshot is a folder in the trash: `files` is the thing itself, moved there in one step, so at every moment it is in
// its place or in the trash, whole. Of a worktree, `git` is its index and HEAD, and a ref keeps what only these name.

interface Manifest {
  workspaceId: string
  /** What was moved. */
  path: string
  worktree: (WorktreeRecord & { tip: string | null }) | null
  trashedAt: string
}

export async function trash(ground: Ground, asked: Trashed): Promise<string> {
  const snapshot = safeName(asked.workspaceId)
  const folder = join(ground.places.trash, snapshot)
  const files = join(folder, 'files')
  const path = pathOf(ground, asked)
  if (!existsSync(files)) {
    if (!existsSync(path))
      throw new WorkspaceRefusal(
        'workspace_failed',
        'Its files are gone already, so there is nothing to put away.',
      )
    await removeTree(folder)
    makeFolder(folder)
    const worktree = isBelow(path, ground.places.worktrees)
      ? await saveGit(ground, path, folder, snapshot)
      : null
    const { workspaceId } = asked
    const manifest: Manifest = { workspaceId, path, worktree, trashedAt: new Date().toISOString() }
    replaceFile(join(folder, 'manifest.json'), JSON.stringify(manifest))
    renameSync(path, files)
  } else if (existsSync(path)) {
    throw new WorkspaceRefusal(
      'workspace_failed',
      'It is in the trash already, and there is another in its place.',
    )
  }
  const { worktree } = manifestOf(folder)
  if (worktree) {
    if (worktree.gitDir) rmSync(worktree.gitDir, { recursive: true, force: true })
    dropRecord(ground.places, worktree.root)
  }
  return snapshot
}

export function snapshotOf({ places }: Ground, workspaceId: string): string | null {
  const snapshot = safeName(workspaceId)
  return existsSync(join(places.trash, snapshot, 'files')) ? snapshot : null
}

/** Undoes it, from wherever it was. */
export async function restore(ground: Ground, asked: Trashed & { snapshot: string }): Promise<void> {
  const folder = join(ground.places.trash, safeName(asked.snapshot))
  if (!existsSync(join(folder, 'manifest.json'))) {
    if (existsSync(pathOf(ground, asked))) return
    throw new WorkspaceRefusal('nothing_to_restore', 'It is not in the trash any more.')
  }
  const { path, worktree } = manifestOf(folder)
  const files = join(folder, 'files')
  if (existsSync(files)) {
    if (existsSync(path))
      throw new WorkspaceRefusal(
        'nothing_to_restore',
        'There is something else in its place now. Move that away first.',
      )
    if (worktree) await restoreGit(ground, worktree, folder)
    makeFolder(dirname(path))
    renameSync(files, path)
  }
  if (worktree) await dropRef(worktree.repository, basename(folder))
  await removeTree(folder)
}

export async function forget(ground: Ground, snapshot: string): Promise<void> {
  const folder = join(ground.places.trash, safeName(snapshot))
  if (!existsSync(folder)) return
  const manifest = existsSync(join(folder, 'manifest.json')) ? manifestOf(folder) : undefined
  await removeTree(folder)
  if (manifest?.worktree) await dropRef(manifest.worktree.repository, snapshot)
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))

/** Only what we keep ourselves may be moved: the user's own folders are theirs. */
function pathOf({ places }: Ground, { workspaceId, root }: Trashed): string {
  const place = placeIn(places, workspaceId)
  if (root === place.root) return place.folder
  if (isBelow(root, places.worktrees) && !root.includes('/../')) return root
  throw new WorkspaceRefusal('does_not_fit', 'This is a folder of your own, and stays as it is.')
}

const refOf = (snapshot: string) => `refs/signalbox/trash/${snapshot}`

async function saveGit(
  ground: Ground,
  root: string,
  folder: string,
  snapshot: string,
): Promise<Manifest['worktree']> {
  const record = recordOf(ground.places, root)
  if (!record?.gitDir || !existsSync(record.gitDir)) return record ? { ...record, tip: null } : null
  cpSync(record.gitDir, join(folder, 'git'), { recursive: true })
  const git = await openGit(repositoryOf(ground.places, root), { isEnclosed: false })
  const head = await commitOf(git, 'HEAD')
  const kept = (await stagedCommit(git, head)) ?? head
  if (kept) await git.ask('keep what is staged', ['update-ref', refOf(snapshot), kept])
  return { ...record, tip: (await commitOf(git, `refs/heads/${record.branch}`)) ?? null }
}

/** A commit of what is staged, which git would throw away sooner or later. None while a merge is not settled. */
async function stagedCommit(git: Git, head: string | undefined): Promise<string | undefined> {
  const tree = await git.run(['write-tree'])
  if (tree.code !== 0) return undefined
  const words = ['commit-tree', tree.stdout.toString('utf8').trim(), ...(head ? ['-p', head] : [])]
  const env = await identityFor(git, false)
  return git.ask('keep what is staged', words, {
    input: 'What was staged when it was put into the trash\n',
    env,
  })
}

async function restoreGit(
  ground: Ground,
  worktree: NonNullable<Manifest['worktree']>,
  folder: string,
): Promise<void> {
  const { tip, ...record } = worktree
  const saved = join(folder, 'git')
  if (!record.gitDir || !existsSync(saved) || !existsSync(join(record.repository, '.git'))) {
    ground.log.warn({ root: record.root }, 'a worktree comes back without its repository, which is gone')
    return saveRecord(ground.places, record)
  }
  const { root, gitDir: commonDir } = repositoryAt(record.repository, false)
  const git = await openGit(
    { root, gitDir: commonDir, commonDir: null, isInside: false },
    { isEnclosed: false },
  )
  if (tip && !(await commitOf(git, `refs/heads/${record.branch}`)))
    await git.ask('bring its branch back', ['update-ref', `refs/heads/${record.branch}`, tip, ''])
  const gitDir = freeName(record.gitDir, join(record.root, '.git'))
  cpSync(saved, gitDir, { recursive: true })
  writeFileSync(join(gitDir, 'gitdir'), `${join(record.root, '.git')}\n`)
  // Written new, since what is there belongs to whoever worked there.
  const pointer = join(folder, 'files', '.git')
  rmSync(pointer, { recursive: true, force: true })
  writeFileSync(pointer, `gitdir: ${gitDir}\n`, { flag: 'wx' })
  saveRecord(ground.places, { ...record, gitDir })
}

/** Another worktree may have taken its place among the others; one that is this one's own is written again. */
function freeName(gitDir: string, pointer: string): string {
  for (let count = 0; ; count += 1) {
    const name = count === 0 ? gitDir : `${gitDir}-${count}`
    const ours = join(name, 'gitdir')
    if (!existsSync(name) || (existsSync(ours) && readFileSync(ours, 'utf8').trim() === pointer)) return name
  }
}

async function dropRef(repository: string, snapshot: string): Promise<void> {
  try {
    const { root, gitDir } = repositoryAt(repository, false)
    const git = await openGit({ root, gitDir, commonDir: null, isInside: false }, { isEnclosed: false })
    await git.run(['update-ref', '-d', refOf(snapshot)])
  } catch (error) {
    // The repository itself is gone: so is what it kept.
    if (!(error instanceof WorkspaceRefusal)) throw new Error(messageOf(error), { cause: error })
  }
}
