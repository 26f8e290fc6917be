import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { CheckedWorkspace } from '#contract/internal.ts'
import type { CreateWorkspace, EditWorkspace } from '#contract/workspace.ts'
import { noteAudit } from '#db/audit.ts'
import { lockStream } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { shownSource } from '#db/workspace-reads.ts'
import { findFolder, insertWorkspace, lockWorkspace, updateWorkspace } from '#db/workspaces.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { checkUsable, noWorkspace } from '#domain/workspace.ts'
import { tellWorkspace } from './change-workspace.ts'

/** Its machine has been asked already. One whose files are there is ready; the others are prepared when they are needed. Answers with its id. */
export async function createWorkspace(
  tx: Tx,
  by: Principal,
  { id, machineId, checked }: { id: string; machineId: string; checked: CheckedWorkspace },
  wanted: CreateWorkspace,
): Promise<string> {
  await lockStream(tx, BOARD_STREAM)
  const { driver, setup, source = null } = wanted
  const known = driver === 'folder' ? await findFolder(tx, machineId, checked.root) : undefined
  if (known && known.state !== 'trashed')
    throw new Problem(
      'workspace_exists',
      `The folder ${checked.root} is the workspace ${known.name} already`,
      {
        workspaceId: known.id,
      },
    )
  const row = {
    ...wanted,
    source,
    id: known?.id ?? id,
    machineId,
    root: checked.root,
    name: wanted.name ?? checked.name,
    state: driver === 'folder' && setup === null ? ('ready' as const) : ('new' as const),
    createdBy: by.id,
  }
  const gone = { trashedAt: null, forgottenAt: null, error: null }
  const made = known
    ? await updateWorkspace(tx, known.id, { ...row, ...gone })
    : await insertWorkspace(tx, row)
  await told(tx, by, made, 'create')
  return made.id
}

export async function editWorkspace(tx: Tx, by: Principal, id: string, edit: EditWorkspace): Promise<void> {
  await lockStream(tx, BOARD_STREAM)
  const before = await lockWorkspace(tx, id)
  if (!before) throw noWorkspace(id)
  checkUsable(before)
  if (edit.image && before.driver !== 'docker') throw bodyMisfit('image', 'is for the driver docker')
  const changes = { ...edit, ...againFor(before, edit.image) }
  await told(tx, by, await updateWorkspace(tx, id, changes), 'edit', Object.keys(edit))
}

/** Another image has to be tried first: it is made ready anew when it is next needed. Its files stay. */
export const againFor = (
  { driver, state, image: before }: WorkspaceRow,
  image: string | null | undefined,
): { state?: 'new' } =>
  driver === 'docker' && state === 'ready' && image !== undefined && image !== before ? { state: 'new' } : {}

async function told(tx: Tx, by: Principal, row: WorkspaceRow, subject: string, changed?: string[]) {
  await tellWorkspace(tx, by.id, row)
  const { driver, root, source } = row
  const detail = changed ? { changed } : { driver, root, source: shownSource(source) }
  await noteAudit(tx, {
    kind: 'workspace',
    actor: by.id,
    workspaceId: row.id,
    sessionId: row.sessionId,
    subject,
    outcome: 'ok',
    detail,
  })
}
