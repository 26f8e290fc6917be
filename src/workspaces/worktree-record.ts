import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { replaceFile } from '#lib/durable-file.ts'
import { makeFolder } from './ground.ts'
import type { Places } from './places.ts'
import { isBelow } from './places.ts'
import type { RepositorySettings, Worktree } from './port.ts'
import { WorkspaceRefusal } from './port.ts'
import type { Repository } from './repository.ts'
import { repositoryAt } from './repository.ts'
import { slugOf } from './slug.ts'

/** What we know of a worktree of ours. Nothing of it is read from where the agent works. */
export interface WorktreeRecord {
  workspaceId: string
  root: string
  repository: string
  /** Where git keeps its index and HEAD, in the git folder of the repository. Null until it is made. */
  gitDir: string | null
  branch: string
  baseRef: string | null
  /** Into which it is merged when nobody says otherwise. */
  baseBranch: string | null
  settings: RepositorySettings
  remarks: string[]
}

/** One folder for each repository, by its name and where it is. */
export function worktreesOf(places: Places, repository: string): string {
  const real = realpathSync(repository)
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 8)
  return join(places.worktrees, `${slugOf(basename(real), 30)}-${hash}`)
}

const fileOf = (places: Places, root: string): string =>
  join(places.records, `${relative(places.worktrees, root).replaceAll(sep, '+')}.json`)

export function saveRecord(places: Places, record: WorktreeRecord): void {
  makeFolder(places.records)
  replaceFile(fileOf(places, record.root), JSON.stringify(record))
}

export function dropRecord(places: Places, root: string): void {
  rmSync(fileOf(places, root), { force: true })
}

export function recordOf(places: Places, root: string): WorktreeRecord | undefined {
  const file = fileOf(places, root)
  return isBelow(root, places.worktrees) && existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : undefined
}

export function recordsOf(places: Places): WorktreeRecord[] {
  if (!existsSync(places.records)) return []
  return readdirSync(places.records)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(places.records, name), 'utf8')))
}

export const worktreeOf = ({ root, branch, baseRef, settings, remarks }: WorktreeRecord): Worktree => ({
  root,
  branch,
  baseRef: baseRef ?? '',
  settings,
  remarks,
})

/** The repository whose files are in a folder: by what we know, never by what the folder says. */
export function repositoryOf(places: Places, root: string): Repository {
  if (!isBelow(root, places.worktrees)) return repositoryAt(root, isBelow(root, places.workspaces))
  const record = recordOf(places, root)
  if (!record?.gitDir)
    throw new WorkspaceRefusal('not_a_repository', 'This workspace is not a worktree that was made here.')
  const { gitDir: commonDir } = repositoryAt(record.repository, false)
  return { root, gitDir: record.gitDir, commonDir, isInside: false }
}
