import { BOARD_STREAM } from '#contract/event.ts'
import type { CreateWorkspace } from '#contract/workspace.ts'
import { lockStream } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { configuredAs, findFolder, insertWorkspace, updateWorkspace } from '#db/workspaces.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { Problem } from '#domain/problem.ts'
import { againFor } from './create-workspace.ts'
import { tellWorkspace } from './change-workspace.ts'

export const configuration = 'configuration'

/** A workspace as the configuration has it. What somebody put into the trash stays there, and files that are there stay too. */
export async function configureWorkspace(
  tx: Tx,
  { id, machineId, name, root }: Pick<WorkspaceRow, 'id' | 'machineId' | 'name' | 'root'>,
  wanted: CreateWorkspace,
  /** What is left as it is when the configuration does not say it. */
  more: Partial<Pick<CreateWorkspace, 'app' | 'worktrees' | 'logins'>> = {},
): Promise<void> {
  const { driver, source = null, egress, image, ports, setup } = wanted
  await lockStream(tx, BOARD_STREAM)
  const named = await configuredAs(tx, { machineId, name, createdBy: configuration })
  const known =
    driver === 'folder'
      ? await findFolder(tx, machineId, root)
      : named.find((workspace) => workspace.driver === driver)
  if (known?.state === 'trashed') return
  const other = named.find((workspace) => workspace.driver !== driver && workspace.state !== 'trashed')
  if (other && known?.name !== name)
    throw new Problem(
      'workspace_exists',
      `workspaces.${name}.driver: ${name} is a workspace of the driver ${other.driver}, and a driver cannot be changed to ` +
        `${driver}. It stays as it is. Put it into the trash first, or give the new one another name`,
    )
  const said = { name, egress, image, ports, setup, ...more }
  const hasFiles = driver === 'folder' || known?.state === 'ready'
  if (known && isSame(known, said) && (hasFiles || isEqual(known.source, source))) return
  const row = known
    ? await updateWorkspace(tx, known.id, {
        ...said,
        ...(!hasFiles && { source }),
        ...againFor(known, image),
      })
    : await insertWorkspace(tx, {
        id,
        machineId,
        driver,
        root,
        source,
        ...said,
        state: driver === 'folder' && setup === null ? 'ready' : 'new',
        createdBy: configuration,
      })
  await tellWorkspace(tx, configuration, row)
}

const isSame = (row: WorkspaceRow, said: Partial<WorkspaceRow>): boolean =>
  Object.entries(said).every(([key, value]) => isEqual(row[key as keyof WorkspaceRow], value))

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
