import { existsSync } from 'node:fs'
import type { Database } from '#db/pool.ts'
import { findSession } from '#db/sessions.ts'
import { findWorkspace } from '#db/workspaces.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { noWorkspace } from '#domain/workspace.ts'
import type { RepositorySettings, Workspaces } from '#workspaces/port.ts'
import { realSource } from './check-workspace.ts'
import type { Keepers } from './keepers.ts'
import { portVariables } from './port-variables.ts'
import type { Tell } from './ready-workspace.ts'
import { runScript } from './run-script.ts'
import { tryImage } from './try-image.ts'
import { rootOf, specOf } from './workspace-spec.ts'
import type { SpecNeeds } from './workspace-spec.ts'

interface Needs extends SpecNeeds {
  db: Database
  keepers: Keepers
  workspaces: Workspaces
}

/** Writes down what has become known, so that whoever begins again finds it. */
export type Note = (known: Partial<WorkspaceRow>) => Promise<WorkspaceRow>

/** Brings the files of a workspace and runs its setup. Begun again after a crash, it ends the same. */
export async function prepareWorkspace(
  needs: Needs,
  row: WorkspaceRow,
  tell: Tell,
  note: Note,
): Promise<void> {
  const known = await note(await bring(needs, row, tell))
  if (known.setup === null && known.driver !== 'docker') return
  const spec = await specOf(needs, known)
  if (known.driver === 'docker') await tryImage(needs.keepers, spec)
  if (known.setup === null) return
  const script = { name: 'setup', command: known.setup, env: portVariables(known) } as const
  await runScript(needs.keepers, spec, script, tell)
}

async function bring(needs: Needs, row: WorkspaceRow, tell: Tell): Promise<Partial<WorkspaceRow>> {
  const { workspaces } = needs
  if (row.parentId !== null) return worktree(needs, row, row.parentId, tell)
  if (row.driver === 'folder') return { root: await rootOf(needs.config(), row) }
  if (row.source) tell('Bringing the files of the workspace')
  const { root } = workspaces.placeOf(row.id)
  // What was brought already needs no source, which may be gone by now.
  const source = row.source && !existsSync(root) ? await realSource(needs.config(), row.source) : null
  const { branch, baseRef, settings, remarks } = await workspaces.bring(row.id, source)
  for (const remark of remarks) tell(remark)
  return { root, branch, baseRef, ...asAsked(row, settings) }
}

async function worktree(
  { db, config, workspaces }: Needs,
  row: WorkspaceRow,
  parentId: string,
  tell: Tell,
): Promise<Partial<WorkspaceRow>> {
  const parent = await findWorkspace(db, parentId)
  if (!parent) throw noWorkspace(parentId)
  const session = row.sessionId ? await findSession(db, row.sessionId) : undefined
  const { root, branch, baseRef, settings, remarks } = await workspaces.addWorktree({
    repository: await rootOf(config(), parent),
    workspaceId: row.id,
    slug: session?.title ?? row.name,
    base: row.baseRef,
  })
  for (const remark of remarks) tell(remark)
  return { root, branch, baseRef, ...asAsked(row, settings) }
}

/** What was said of the workspace itself goes before what its repository says. */
function asAsked(
  row: WorkspaceRow,
  { setup, teardown, app }: RepositorySettings,
): Pick<WorkspaceRow, 'setup' | 'teardown' | 'app'> {
  const [port] = row.parentId === null ? [] : row.ports
  return {
    setup: row.setup ?? setup,
    teardown,
    app: row.app ?? (app && port !== undefined ? { ...app, port } : app),
  }
}
