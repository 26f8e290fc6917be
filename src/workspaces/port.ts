import type {
  Archive,
  Committed,
  DriverOnMachine,
  Merged,
  WorkspaceApp,
  WorkspaceDiff,
  WorkspaceDriver,
  WorkspaceSource,
} from '#contract/workspace.ts'

// What is done with the files of workspaces on one machine. Nothing of it knows the database, and nothing of it trusts what
// an agent could have written: links are not followed, and git runs without hooks, filters, fsmonitor and external diff.

/** Where the files of a workspace of this machine are, by its id. */
export interface Place {
  /** All of it. */
  folder: string
  /** What is at /workspace inside. */
  root: string
  /** What is at /home/agent inside. */
  homes: string
}

/** What a repository says of itself in `signalbox.json`, as it is committed. */
export interface RepositorySettings {
  setup: string | null
  teardown: string | null
  app: WorkspaceApp | null
}

export interface Worktree {
  root: string
  branch: string
  /** What it was begun from. */
  baseRef: string
  settings: RepositorySettings
  /** What could not be done and does not matter enough to stop: the base could not be fetched, … */
  remarks: string[]
}

/** What a sandbox or a container has been given. */
export interface Brought {
  /** Null when it is no repository, or not on a branch. */
  branch: string | null
  /** The commit that it begins with. */
  baseRef: string | null
  settings: RepositorySettings
  remarks: string[]
}

/** `remarks`: what changed or vanished while it was read. */
export type Archived = Archive & { remarks: string[] }

export interface Workspaces {
  /** As they were really tried; tried again after a while. */
  drivers(fresh?: boolean): Promise<DriverOnMachine[]>
  /** One of them; whatever the others are at, it is not waited for. */
  driver(name: WorkspaceDriver, fresh?: boolean): Promise<DriverOnMachine>
  /** Where one of our own keeping has its files. */
  placeOf(workspaceId: string): Place
  /**
   * Brings the files of a sandbox or a container: all of them, or none; asked again when they are there, it touches nothing.
   * Which folders of the machine may be read is for the caller to say. Rejects with a WorkspaceRefusal, as all of these do.
   */
  bring(workspaceId: string, source: WorkspaceSource | null): Promise<Brought>
  /** Whether a folder is the top of a repository that has at least one commit. */
  isRepository(root: string): Promise<boolean>
  /** A worktree of its own for a session, outside the repository. Made again when it is there already from before. */
  addWorktree(asked: {
    repository: string
    workspaceId: string
    slug: string
    /** The branch or commit to begin from; without one the repository's own default. */
    base?: string | null
  }): Promise<Worktree>
  /** Range of ports that no other workspace of this machine has. `taken`: any ports of the others. */
  portsFor(workspaceId: string, taken: readonly number[]): { first: number; count: number }
  /** Against `baseRef`, or else the last commit. What is not committed and what git does not know yet are in it. */
  diff(root: string, baseRef: string | null, path?: string): Promise<WorkspaceDiff>
  /** The same without its text. */
  changedFiles(root: string, baseRef: string | null): Promise<Pick<WorkspaceDiff, 'files' | 'truncated'>>
  /** Commits all of it. */
  commit(root: string, message: string): Promise<Committed>
  /** Brings a worktree's branch into the repository that it is of: all of it, or nothing is touched. */
  merge(asked: {
    root: string
    repository: string
    branch: string
    into?: string | undefined
  }): Promise<Merged>
  /** Saves all files as a tar.zst, streamed; what cannot be read is named in the refusal. */
  archive(asked: { root: string; workspaceId: string; name: string }): Promise<Archived>
  archives(): Promise<Archive[]>
  /** Opens one for download. */
  openArchive(name: string): Promise<{ bytes: number; stream: NodeJS.ReadableStream }>
  removeArchive(name: string): Promise<void>
  /**
   * Puts it away whole, and answers with the snapshot's name. Asked again after a crash, it goes on where it was.
   * Only for what we keep: the user's own folders are never removed.
   */
  trash(asked: Trashed): Promise<string>
  /** The name of its snapshot when its files are in the trash, whatever became of the one who put them there. */
  snapshotOf(workspaceId: string): string | null
  /** Undoes `trash`. Asked again after a crash, it goes on where it was. */
  restore(asked: Trashed & { snapshot: string }): Promise<void>
  /** Removes a snapshot for good. One that is not there is forgotten already. */
  forget(snapshot: string): Promise<void>
  diskBytes(root: string): Promise<number>
  /** What lies in our folders and belongs to none of these: left by a crash. */
  orphans(known: { workspaceIds: readonly string[]; snapshots: readonly string[] }): Promise<Orphan[]>
  removeOrphan(orphan: Orphan): Promise<void>
}

export interface Trashed {
  workspaceId: string
  root: string
  /** Of a worktree: the repository, and its branch. */
  repository: string | null
  branch: string | null
}

export interface Orphan {
  kind: 'workspace' | 'worktree' | 'snapshot'
  path: string
  bytes: number
}

export type RefusalCode =
  | 'not_a_repository'
  | 'git_failed'
  | 'merge_conflict'
  | 'archive_not_found'
  | 'nothing_to_restore'
  | 'disk_full'
  | 'workspace_failed'
  | 'does_not_fit'

/** What cannot be done, in words for people. The codes are problems of the contract. */
export class WorkspaceRefusal extends Error {
  readonly code: RefusalCode
  readonly context: Record<string, unknown> | undefined

  constructor(code: RefusalCode, message: string, context?: Record<string, unknown>) {
    super(message)
    this.name = 'WorkspaceRefusal'
    this.code = code
    this.context = context
  }
}
