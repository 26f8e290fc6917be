import { z } from 'zod'
import { Paging } from './answer.ts'
import { GitAddress } from './git-address.ts'
import { Id, Time, line, prose } from './text.ts'

export const WorkspaceDriver = z.enum(['folder', 'sandbox', 'docker'])
export type WorkspaceDriver = z.infer<typeof WorkspaceDriver>

const host = z
  .string()
  .max(253)
  .regex(
    /^(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?$|^\[[0-9A-Fa-f:]+\](?::\d{1,5})?$/,
    'must be a host, with *. for all below it, and a port if it is another than 443 and 80',
  )

/** What a workspace may reach: nothing, the model hosts of the agents that work in it, a list, or everything. */
export const Egress = z.union(
  [z.enum(['none', 'model', 'open']), z.array(host).min(1).max(1000)],
  'must be none, model, open or a list of hosts',
)
export type Egress = z.infer<typeof Egress>

/** Where its files come from. */
export const WorkspaceSource = z.union([
  z.strictObject({ git: GitAddress, ref: line(500).optional() }),
  z.strictObject({ archive: line(4096) }),
  z.strictObject({ path: line(4096) }),
])
export type WorkspaceSource = z.infer<typeof WorkspaceSource>

export const WorkspaceState = z.enum([
  /** Made, and nothing was done for it yet. */
  'new',
  /** Its files are being brought. */
  'preparing',
  'ready',
  /** It could not be made ready; `error` says why. It is tried again when it is next needed. */
  'failed',
  'trashed',
])
export type WorkspaceState = z.infer<typeof WorkspaceState>

/** The app's own server: started in the workspace, and kept alive. */
export const WorkspaceApp = z.strictObject({
  command: line(4096),
  port: z.int().min(1024).max(65_535),
})
export type WorkspaceApp = z.infer<typeof WorkspaceApp>

export const Workspace = z.object({
  id: Id,
  name: z.string(),
  machineId: Id,
  driver: WorkspaceDriver,
  /** Where its files are on the machine. */
  root: z.string(),
  /** Of which it is a worktree. */
  parentId: Id.nullable(),
  /** The session that a worktree was made for. */
  sessionId: Id.nullable(),
  source: WorkspaceSource.nullable(),
  image: z.string().nullable(),
  egress: Egress,
  /** Ports of the workspace that can be previewed. */
  ports: z.array(z.int()),
  setup: z.string().nullable(),
  /** What its repository wants to be run before it goes into the trash. */
  teardown: z.string().nullable(),
  app: WorkspaceApp.nullable(),
  /** A folder with a repository: sessions get worktrees of their own, or work in it. */
  worktrees: z.boolean(),
  /** The logins of agents that are copied into it, by preset. */
  logins: z.array(z.string()),
  branch: z.string().nullable(),
  baseRef: z.string().nullable(),
  state: WorkspaceState,
  error: z.string().nullable(),
  createdBy: z.string(),
  createdAt: Time,
  usedAt: Time.nullable(),
  trashedAt: Time.nullable(),
  /** As last measured. */
  diskBytes: z.int().nullable(),
  diskMeasuredAt: Time.nullable(),
  /** How many of the sessions that one may see work in it, and how many of their executions have not ended. */
  sessions: z.int(),
  live: z.int(),
  /** Whether a keeper serves it at present. */
  running: z.boolean(),
})
export type Workspace = z.infer<typeof Workspace>

/** As everybody sees it who reads the board: a worktree without the title of its session. */
export type WorkspaceOnBoard = Pick<
  Workspace,
  'id' | 'name' | 'machineId' | 'driver' | 'parentId' | 'sessionId' | 'state'
>

const written = {
  name: line(100),
  egress: Egress,
  image: line(500).nullable(),
  ports: z.array(z.int().min(1).max(65_535)).max(200),
  setup: prose(10_000).nullable(),
  app: WorkspaceApp.nullable(),
  worktrees: z.boolean(),
  logins: z.array(z.enum(['claude', 'codex', 'gemini', 'opencode'])).max(4),
}

export const CreateWorkspace = z
  .strictObject({
    name: written.name.optional(),
    machineId: Id.optional(),
    driver: WorkspaceDriver,
    /** `folder`: where it is. The others have their files where the machine keeps them. */
    root: prose(4096).startsWith('/', 'must be an absolute path').optional(),
    source: WorkspaceSource.optional(),
    image: written.image.default(null),
    egress: written.egress.default('model'),
    ports: written.ports.default([]),
    setup: written.setup.default(null),
    app: written.app.default(null),
    worktrees: written.worktrees.default(true),
    logins: written.logins.default([]),
  })
  .refine(({ driver, root }) => (driver === 'folder') === (root !== undefined), {
    path: ['root'],
    message: 'is for the driver folder, which needs it',
  })
  .refine(({ driver, source }) => driver !== 'folder' || source === undefined, {
    path: ['source'],
    message: 'is for sandbox and docker: a folder has its files already',
  })
  .refine(({ driver, image }) => driver === 'docker' || image === null, {
    path: ['image'],
    message: 'is for the driver docker',
  })
export type CreateWorkspace = z.infer<typeof CreateWorkspace>

export const EditWorkspace = z.strictObject(written).partial()
export type EditWorkspace = z.infer<typeof EditWorkspace>

export const WorkspaceQuery = Paging.extend({
  machineId: Id.optional(),
  parentId: Id.optional(),
  driver: WorkspaceDriver.optional(),
  /** Those in the trash instead of the others. */
  trashed: z.enum(['true', 'false']).default('false'),
})
export type WorkspaceQuery = z.infer<typeof WorkspaceQuery>

/** One driver on one machine, as it was really tried. */
export const DriverOnMachine = z.object({
  driver: WorkspaceDriver,
  works: z.boolean(),
  /** Why not, and what to do. */
  reason: z.string().nullable(),
  /** What it cannot do here although it works: `memory limit`, `cpu limit`, … each with the reason. */
  lacks: z.array(z.object({ what: z.string(), why: z.string() })),
  /** What is used: a version of bubblewrap, of the engine. */
  version: z.string().nullable(),
})
export type DriverOnMachine = z.infer<typeof DriverOnMachine>

export const MachineDrivers = z.object({ machineId: Id, drivers: z.array(DriverOnMachine) })
export type MachineDrivers = z.infer<typeof MachineDrivers>

/** A folder of a machine that may become a workspace. */
export const Folder = z.object({
  path: z.string(),
  name: z.string(),
  /** Whether it is the top of a repository with at least one commit: then each session gets a worktree of its own. */
  isRepository: z.boolean(),
})
export type Folder = z.infer<typeof Folder>

/** With a path: only that one, if the machine allows it. */
export const FolderQuery = z.strictObject({ machineId: Id.optional(), path: line(4096).optional() })
export type FolderQuery = z.infer<typeof FolderQuery>

export const DiffQuery = z.strictObject({
  /** Of one file alone: what was too long for all of them together. */
  path: prose(4096).min(1, 'must not be empty').optional(),
})
export type DiffQuery = z.infer<typeof DiffQuery>

export const WorkspaceDiff = z.object({
  branch: z.string().nullable(),
  baseRef: z.string().nullable(),
  /** What a worktree's branch is merged into unless another one is named; null where there is none. */
  mergesInto: z.string().nullable(),
  /** How many files have changes that are not committed. */
  uncommitted: z.int(),
  files: z.array(
    z.object({
      path: z.string(),
      /** As git calls it: added, modified, deleted, renamed, untracked. */
      change: z.enum(['added', 'modified', 'deleted', 'renamed', 'untracked']),
      additions: z.int().nullable(),
      deletions: z.int().nullable(),
    }),
  ),
  /** Unified; cut when it is very long. */
  diff: z.string(),
  truncated: z.boolean(),
})
export type WorkspaceDiff = z.infer<typeof WorkspaceDiff>

export const CommitWorkspace = z.strictObject({ message: prose(10_000).min(1, 'must not be empty') })
export type CommitWorkspace = z.infer<typeof CommitWorkspace>

/** `commit` is null when there was nothing to commit. */
export const Committed = z.object({ commit: z.string().nullable(), branch: z.string() })
export type Committed = z.infer<typeof Committed>

export const MergeWorkspace = z.strictObject({ into: line(500).optional() })
export type MergeWorkspace = z.infer<typeof MergeWorkspace>

export const Merged = z.object({
  into: z.string(),
  commit: z.string(),
  wasUpToDate: z.boolean(),
  /** Files of the worktree with changes that are not committed, and so were not merged. */
  uncommitted: z.int(),
})
export type Merged = z.infer<typeof Merged>

export const ArchiveWorkspace = z.strictObject({ name: line(100).optional() })
export type ArchiveWorkspace = z.infer<typeof ArchiveWorkspace>

/** An archive that is kept on the machine. */
export const Archive = z.object({
  name: z.string(),
  workspaceId: Id.nullable(),
  bytes: z.int(),
  sha256: z.string(),
  createdAt: Time,
})
export type Archive = z.infer<typeof Archive>

export const PruneWorkspaces = z.strictObject({ dryRun: z.boolean().default(true), machineId: Id.optional() })
export type PruneWorkspaces = z.infer<typeof PruneWorkspaces>

/** What the workspaces of a machine take on its disk, as last measured. */
export const MachineDisk = z.object({
  machineId: Id,
  /** Why its worker could not be asked; then archives and what is free are not known. */
  reason: z.string().nullable(),
  workspaces: z.int(),
  trash: z.int(),
  archives: z.int().nullable(),
  freeBytes: z.int().nullable(),
  /** Ours that nobody has measured yet. */
  unmeasured: z.int(),
})
export type MachineDisk = z.infer<typeof MachineDisk>

/** What became of a workspace that was to go. */
export const Removed = z.object({
  /** What happened to its files, in words. */
  message: z.string(),
  /** False for a folder of the user's own, which is only forgotten. */
  filesRemoved: z.boolean(),
})
export type Removed = z.infer<typeof Removed>

/** What prune would remove, or has removed. */
export const Pruned = z.object({
  isDryRun: z.boolean(),
  items: z.array(
    z.object({
      kind: z.enum(['workspace', 'worktree', 'archive', 'snapshot', 'container', 'home']),
      name: z.string(),
      bytes: z.int(),
      reason: z.string(),
    }),
  ),
  bytes: z.int(),
})
export type Pruned = z.infer<typeof Pruned>

/** Which port to show: the app's unless it is said, or the only one there is. */
export const PreviewAsked = z.strictObject({ port: z.int().min(1).max(65_535).optional() })
export type PreviewAsked = z.infer<typeof PreviewAsked>

/** Where a browser sees the app. */
export const Preview = z.object({ url: z.string(), expiresAt: Time })
export type Preview = z.infer<typeof Preview>

// What the keeper is told.

/** An address outside that the inside reaches by name, with what is added on the way: a key never goes in. */
export const Forward = z.object({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,30}$/),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
})
export type Forward = z.infer<typeof Forward>

const CommandRule = z.object({ pattern: z.string(), decision: z.enum(['allow', 'ask', 'deny']) })

/** A workspace without walls: a folder of this machine, with all that its owner can do. */
export const FolderSpec = z.object({
  id: Id,
  driver: z.literal('folder'),
  root: z.string(),
  app: WorkspaceApp.nullable().optional(),
  /** Ports that can be previewed, besides the app's. */
  ports: z.array(z.int()).optional(),
  /** Variables that its commands and its app have too: a worktree's own ports. */
  env: z.record(z.string(), z.string()).optional(),
  commandRules: z.array(CommandRule).optional(),
})
export type FolderSpec = z.infer<typeof FolderSpec>

export const EnclosedSpec = z.object({
  id: Id,
  driver: z.enum(['sandbox', 'docker']),
  /** On this machine: what is at /workspace inside. */
  root: z.string(),
  /** On this machine: what is at /home/agent inside, a folder for each session. */
  homes: z.string(),
  image: z.string().nullable(),
  egress: Egress,
  /** What `model` stands for. */
  modelHosts: z.array(z.string()),
  forwards: z.array(Forward),
  /** Programs of agents: at the same place inside, read-only. */
  mounts: z.array(z.string()),
  limits: z.object({ memoryMb: z.int(), cpus: z.number(), pids: z.int() }),
  app: WorkspaceApp.nullable(),
  ports: z.array(z.int()),
  commandRules: z.array(CommandRule),
})
export type EnclosedSpec = z.infer<typeof EnclosedSpec>

export const WorkspaceSpec = z.discriminatedUnion('driver', [FolderSpec, EnclosedSpec])
export type WorkspaceSpec = z.infer<typeof WorkspaceSpec>
