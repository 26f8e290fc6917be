import type { Config } from '#config/config.ts'
import type { EnclosedSpec, WorkspaceSpec } from '#contract/workspace.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { configuredRules } from '#domain/policy.ts'
import type { Workspaces } from '#workspaces/port.ts'
import { checkWorkingDir, checkWorktree } from './check-paths.ts'

/** What agents need of the machine in there: their programs, their models, and the way to both. */
export type Inside = Pick<EnclosedSpec, 'modelHosts' | 'forwards' | 'mounts'>

export interface SpecNeeds {
  config: () => Config
  workspaces: Pick<Workspaces, 'placeOf'>
  inside: (row: WorkspaceRow) => Promise<Inside>
}

const limits = { memoryMb: 512, cpus: 0.5, pids: 128 }

/** What the keeper is told of a workspace whose files are there. Its folder is checked each time: it may have become a link. */
export async function specOf(
  { config, workspaces, inside }: SpecNeeds,
  row: WorkspaceRow,
): Promise<WorkspaceSpec> {
  const { id, driver, app, ports } = row
  const shared = { id, app, ports, commandRules: commandRules(config()) }
  if (driver === 'folder') return { ...shared, driver, root: await rootOf(config(), row) }
  const { root, homes } = workspaces.placeOf(id)
  const { egress } = row
  const image = driver === 'docker' ? (row.image ?? config().worker.workspaceImage) : null
  return { ...shared, driver, root, homes, image, egress, limits, ...(await inside(row)) }
}

/** The real path of a folder: one that the machine allows, or a worktree of ours. */
export function rootOf(config: Config, { root, parentId }: WorkspaceRow): Promise<string> {
  return parentId === null
    ? checkWorkingDir(root, config.allowedWorkingDirs, config.home)
    : checkWorktree(root, config.home)
}

const commandRules = (config: Config): NonNullable<EnclosedSpec['commandRules']> =>
  configuredRules(config.policies)
    .filter(({ tool }) => tool === 'command')
    .map(({ argument, effect }) => ({ pattern: argument ?? '*', decision: effect }))
