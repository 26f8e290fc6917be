import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Principal } from '#contract/access.ts'
import type { AskWorkspace } from '#contract/internal.ts'
import { ArchiveWorkspace, CommitWorkspace, DiffQuery, MergeWorkspace } from '#contract/workspace.ts'
import type { Removed } from '#contract/workspace.ts'
import { noteAudit } from '#db/audit.ts'
import type { DatabasePool } from '#db/pool.ts'
import { busyIn, findWorkspace } from '#db/workspaces.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { Problem } from '#domain/problem.ts'
import { checkNotBusy, checkReady, isUsersOwn, noWorkspace } from '#domain/workspace.ts'
import { changeWorkspace } from '#flows/change-workspace.ts'
import { restoreWorkspace, trashWorkspace } from '#flows/trash-workspace.ts'
import type { Workspaces } from '#workspaces/port.ts'
import { noteDiskBytes } from '#db/workspace-upkeep.ts'
import { asProblem } from './as-problem.ts'
import { emptyFromTrash } from './forget-workspace.ts'
import type { Turns } from './in-turn.ts'
import { keeperOf } from './keeper-of.ts'
import type { Keepers } from './keepers.ts'
import { portVariables } from './port-variables.ts'
import type { ReadyWorkspace } from './ready-workspace.ts'
import { runScript } from './run-script.ts'
import { rootOf, specOf } from './workspace-spec.ts'
import type { SpecNeeds } from './workspace-spec.ts'

export interface VerbNeeds extends SpecNeeds {
  pool: DatabasePool
  keepers: Keepers
  workspaces: Workspaces
  readyWorkspace: ReadyWorkspace
  log: Logger
  machineId: string
  /** In which everything happens that is done with a workspace. */
  turns: Turns
}

type Work = (needs: VerbNeeds, row: WorkspaceRow, asked: AskWorkspace) => Promise<object>

const verbs: Record<AskWorkspace['verb'], Work> = {
  prepare: async ({ readyWorkspace }, { id }) => ({ state: (await readyWorkspace(id)).row.state }),
  stop,
  async diff(needs, row, { input }) {
    return needs.workspaces.diff(await filesOf(needs, row), row.baseRef, DiffQuery.parse(input).path)
  },
  async commit(needs, row, { input }) {
    return needs.workspaces.commit(await filesOf(needs, row), CommitWorkspace.parse(input).message)
  },
  merge,
  async archive(needs, row, { input }) {
    const name = ArchiveWorkspace.parse(input).name ?? archiveName(row)
    return needs.workspaces.archive({ root: await filesOf(needs, row), workspaceId: row.id, name })
  },
  trash,
  restore,
  forget,
  measure,
}

/** Does what somebody who may has asked for, and notes that; in one workspace one after the other. Throws Problems. */
export function openWorkspaceVerbs(needs: VerbNeeds): (asked: AskWorkspace) => Promise<object> {
  return (asked) => needs.turns.inTurn(asked.workspaceId, () => doNoted(needs, asked))
}

async function doNoted(needs: VerbNeeds, asked: AskWorkspace): Promise<object> {
  const begun = performance.now()
  const { workspaceId, verb, by } = asked
  const row = await findWorkspace(needs.pool.db, workspaceId)
  if (!row || row.machineId !== needs.machineId) throw noWorkspace(workspaceId)
  // Only these two say of it that nothing is left.
  if (row.forgottenAt && verb !== 'restore' && verb !== 'forget') throw noWorkspace(workspaceId)
  const note = (outcome: 'ok' | 'refused' | 'failed', detail: Record<string, unknown>) =>
    noteAudit(needs.pool.db, {
      kind: 'workspace',
      actor: by.id,
      workspaceId,
      sessionId: row.sessionId,
      subject: verb,
      outcome,
      detail,
      durationMs: performance.now() - begun,
    })
  try {
    const answer = await verbs[verb](needs, row, asked)
    if (verb !== 'diff' && verb !== 'measure') await note('ok', whatCame(answer))
    return answer
  } catch (error) {
    const problem = asProblem(error)
    const { code, message } = problem ?? { code: 'internal', message: 'its machine’s log says why' }
    await note(problem ? 'refused' : 'failed', { code, message })
    throw problem ?? error
  }
}

/** Without contents. */
const whatCame = (answer: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(answer).filter(([key]) =>
      ['commit', 'branch', 'into', 'name', 'bytes', 'message', 'state'].includes(key),
    ),
  )

/** Where the files are, once they are there. */
export function filesOf(needs: Pick<VerbNeeds, 'config' | 'workspaces'>, row: WorkspaceRow): Promise<string> {
  checkReady(row)
  return row.driver === 'folder'
    ? rootOf(needs.config(), row)
    : Promise.resolve(needs.workspaces.placeOf(row.id).root)
}

async function stop(needs: VerbNeeds, row: WorkspaceRow): Promise<object> {
  checkNotBusy(row, await busyIn(needs.pool.db, row.id))
  return { wasRunning: await endKeeper(needs, row, 'Somebody stopped the workspace') }
}

/** Ends what serves it, with agents that wait between two turns; never with anything at work in it. */
async function endKeeper(
  { keepers }: Pick<VerbNeeds, 'keepers'>,
  { id, name }: WorkspaceRow,
  reason: string,
): Promise<boolean> {
  const keeper = await keeperOf(keepers, { id, name })
  if (!keeper) return false
  await keeper.client.shutdown({ reason, graceMs: 3_000, unlessBusy: true }).catch((error: unknown) => {
    if (!keeper.isAlive()) return
    const why = error instanceof Error ? error.message : String(error)
    throw new Problem('workspace_in_use', `The workspace ${name} is in use: ${why}`, { workspaceId: id })
  })
  keepers.forget(id, keeper)
  return true
}

async function merge(needs: VerbNeeds, row: WorkspaceRow, { input }: AskWorkspace): Promise<object> {
  const { into } = MergeWorkspace.parse(input)
  const parent = row.parentId && (await findWorkspace(needs.pool.db, row.parentId))
  if (!parent || row.branch === null)
    throw new Problem(
      'does_not_fit',
      `The workspace ${row.name} is no worktree, so there is nothing that it could be merged into`,
    )
  const repository = await rootOf(needs.config(), parent)
  return needs.workspaces.merge({ root: await filesOf(needs, row), repository, branch: row.branch, into })
}

async function trash(needs: VerbNeeds, row: WorkspaceRow, { by }: AskWorkspace): Promise<Removed> {
  const before = await needs.pool.transaction((tx) => trashWorkspace(tx, by, row.id))
  try {
    await measureOnce(needs, before)
    const remark = await tearDown(needs, before)
    await endKeeper(needs, row, 'The workspace was put into the trash')
    const { message, ...removed } = await putAway(needs, before, by)
    return { ...removed, message: remark ? `${message}. ${remark}` : message }
  } catch (error) {
    const { state, trashedAt, error: reason } = before
    const snapshot = needs.workspaces.snapshotOf(row.id)
    // Once its files have moved, it stays in the trash: restored, it is whole again.
    const changes = snapshot === null ? { state, trashedAt, error: reason } : { snapshot }
    await needs.pool.transaction((tx) => changeWorkspace(tx, by.id, row.id, changes, ['trashed']))
    throw error
  }
}

/** In the trash nobody can any more. */
async function measureOnce({ pool, workspaces }: VerbNeeds, row: WorkspaceRow): Promise<void> {
  if (row.diskBytes !== null || row.state !== 'ready' || isUsersOwn(row)) return
  await noteDiskBytes(pool.db, row.id, await workspaces.diskBytes(row.root).catch(() => null))
}

const teardownMs = 60_000

/** What its repository wants to be run before it goes. Should that fail, it goes all the same. Answers with a remark then. */
async function tearDown(needs: VerbNeeds, row: WorkspaceRow): Promise<string | undefined> {
  if (row.teardown === null || row.state !== 'ready') return undefined
  const script = {
    name: 'teardown',
    command: row.teardown,
    env: portVariables(row),
    limitMs: teardownMs,
  } as const
  try {
    await runScript(needs.keepers, await specOf(needs, row), script, () => undefined)
    return undefined
  } catch (error) {
    needs.log.warn({ err: error, workspace: row.id }, 'a teardown failed')
    return asProblem(error)?.message ?? 'Its teardown could not be run; the log of its machine says why'
  }
}

/** Goes on where a worker that was killed had put one into the trash, or was about to. */
export async function finishTrash(
  needs: Pick<VerbNeeds, 'pool' | 'workspaces' | 'keepers' | 'turns'>,
  id: string,
  by: Pick<Principal, 'id'>,
): Promise<void> {
  await needs.turns.inTurn(id, async () => {
    const row = await findWorkspace(needs.pool.db, id)
    if (row?.state !== 'trashed' || !isHalfTrashed(needs, row)) return
    await endKeeper(needs, row, 'The workspace was put into the trash')
    await putAway(needs, row, by)
  })
}

/** Its row does not say yet that its files are in the trash. They may be there all the same. */
const isHalfTrashed = ({ workspaces }: Pick<VerbNeeds, 'workspaces'>, row: WorkspaceRow): boolean =>
  !isUsersOwn(row) &&
  row.snapshot === null &&
  row.root !== '' &&
  (existsSync(row.root) || workspaces.snapshotOf(row.id) !== null)

/** Moves the files of one that is marked as trashed; asked again after a crash, it goes on. */
async function putAway(
  needs: Pick<VerbNeeds, 'pool' | 'workspaces'>,
  row: WorkspaceRow,
  by: Pick<Principal, 'id'>,
): Promise<Removed> {
  if (isUsersOwn(row))
    return { filesRemoved: false, message: `It is forgotten. Its files are yours, and stay in ${row.root}` }
  if (!isHalfTrashed(needs, row))
    return {
      filesRemoved: false,
      message: 'It is in the trash. It had no files yet, or they are there already',
    }
  const { pool, workspaces } = needs
  const snapshot = await workspaces.trash(await trashed(pool, row))
  await pool.transaction((tx) => changeWorkspace(tx, by.id, row.id, { snapshot }, ['trashed']))
  return { filesRemoved: true, message: 'It is in the trash, whole. Restore it to have it back' }
}

async function restore(needs: VerbNeeds, row: WorkspaceRow, { by }: AskWorkspace): Promise<object> {
  if (row.state !== 'trashed') return { state: row.state }
  if (row.forgottenAt)
    throw new Problem('nothing_to_restore', 'It was in the trash for too long: its files are gone')
  const snapshot = row.snapshot ?? needs.workspaces.snapshotOf(row.id)
  if (snapshot !== null) await needs.workspaces.restore({ ...(await trashed(needs.pool, row)), snapshot })
  const state = row.root !== '' && existsSync(row.root) ? 'ready' : 'new'
  await needs.pool.transaction((tx) => restoreWorkspace(tx, by, row.id, state))
  return { state }
}

async function forget(needs: VerbNeeds, row: WorkspaceRow, { by }: AskWorkspace): Promise<Removed> {
  if (row.state !== 'trashed')
    throw new Problem('workspace_in_use', `The workspace ${row.name} is not in the trash: put it there first`)
  if (row.forgottenAt) return { filesRemoved: false, message: 'It was deleted already' }
  const filesRemoved = !isUsersOwn(row)
  if (!(await emptyFromTrash(needs, row, by)))
    throw new Problem('workspace_busy', 'Its files are still on their way into the trash: try again')
  const message = filesRemoved ? 'It is deleted for good' : `It is forgotten. Its files stay in ${row.root}`
  return { filesRemoved, message }
}

async function measure(needs: VerbNeeds, row: WorkspaceRow): Promise<object> {
  const bytes = await needs.workspaces.diskBytes(await filesOf(needs, row))
  await noteDiskBytes(needs.pool.db, row.id, bytes)
  return { bytes }
}

async function trashed({ db }: DatabasePool, { id, root, parentId, branch }: WorkspaceRow) {
  const parent = parentId === null ? undefined : await findWorkspace(db, parentId)
  return { workspaceId: id, root, repository: parent?.root ?? null, branch }
}

const archiveName = ({ name }: WorkspaceRow): string =>
  `${name.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '') || 'workspace'}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
