import type { Config } from '#config/config.ts'
import type { EnclosedSpec, WorkspaceSpec } from '#contract/workspace.ts'
import type { Database } from '#db/pool.ts'
import { rulesFor } from '#db/policy-rules.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { commandRules, configuredRules } from '#domain/policy.ts'
import type { Workspaces } from '#workspaces/port.ts'
import { checkWorkingDir, checkWorktree } from './check-paths.ts'
import { portVariables } from './port-variables.ts'

/** What agents need of the machine in there: their programs, their models, and the way to both. */
export type Inside = Pick<EnclosedSpec, 'modelHosts' | 'forwards' | 'mounts'>

export interface SpecNeeds {
  db: Database
  config: () => Config
  workspaces: Pick<Workspaces, 'placeOf'>
  inside: (row: WorkspaceRow) => Promise<Inside>
}

const limits = { memoryMb: 512, cpus: 0.5, pids: 128 }

/** What the keeper is told of a workspace whose files are there. Its folder is checked each time: it may have become a link. */
export async function specOf(
  { db, config, workspaces, inside }: SpecNeeds,
  row: WorkspaceRow,
): Promise<WorkspaceSpec> {
  const { id, driver, app, ports } = row
  // Nobody there can tell which agent it is that wants something: those for every agent hold.
  const known = { rules: await rulesFor(db, null), configured: configuredRules(config().policies) }
  const shared = { id, app, ports, commandRules: commandRules(known) }
  if (driver === 'folder') {
    const env = row.parentId !== null && { env: portVariables(row) }
    return { ...shared, driver, root: await rootOf(config(), row), ...env }
  }
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
