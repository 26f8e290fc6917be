import { BOARD_STREAM } from '#contract/event.ts'
import type { CreateWorkspace } from '#contract/workspace.ts'
import { lockStream } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { findConfigured, findFolder, insertWorkspace, updateWorkspace } from '#db/workspaces.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { tellWorkspace } from './change-workspace.ts'

export const configuration = 'configuration'

/** A workspace as the configuration has it. What somebody put into the trash stays there, and files that are there stay too. */
export async function configureWorkspace(
  tx: Tx,
  { id, machineId, name, root }: Pick<WorkspaceRow, 'id' | 'machineId' | 'name' | 'root'>,
  wanted: CreateWorkspace,
): Promise<void> {
  const { driver, source = null, egress, image, ports, setup } = wanted
  await lockStream(tx, BOARD_STREAM)
  const known =
    driver === 'folder'
      ? await findFolder(tx, machineId, root)
      : await findConfigured(tx, { machineId, name, driver, createdBy: configuration })
  if (known?.state === 'trashed') return
  const said = { name, egress, image, ports, setup }
  const hasFiles = driver === 'folder' || known?.state === 'ready'
  if (known && isSame(known, said) && (hasFiles || isEqual(known.source, source))) return
  const row = known
    ? await updateWorkspace(tx, known.id, { ...said, ...(!hasFiles && { source }) })
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
