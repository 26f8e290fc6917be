import type { Principal } from '#contract/access.ts'
import type { Agent } from '#contract/agent.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Tx } from '#db/pool.ts'
import { findSession, liveExecutionIn } from '#db/sessions.ts'
import type { SessionRow } from '#db/sessions.ts'
import { findWorkspace, folderWorkspace, hasRunIn } from '#db/workspaces.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { checkNotTaken } from '#domain/session.ts'
import { checkUsable } from '#domain/workspace.ts'
import { maySee, visibleExecution } from './find-execution.ts'
import { maySeeWorkspace } from './find-workspace.ts'

/** A session that the address names. What is not theirs does not exist for them. */
export async function theOwnSession(tx: Tx, by: Principal, id: string): Promise<SessionRow> {
  const session = await findSession(tx, id)
  if (session && (await maySee(tx, by, id))) return session
  throw new Problem('session_not_found', `No session ${id}`)
}

/** A session that a body names, when it is the caller's, the agent's, and nothing is under way in it; `known` is theirs and at rest. */
export async function theFreeSession(
  tx: Tx,
  by: Principal,
  id: string,
  agent: Agent,
  known?: SessionRow,
): Promise<SessionRow> {
  const session = known ?? (await findSession(tx, id))
  if (!session || !(known || (await maySee(tx, by, id))))
    throw bodyMisfit('sessionId', `there is no session ${id}`)
  if (session.agentId !== agent.id)
    throw bodyMisfit('sessionId', `the session is with another agent than ${agent.name}`)
  if (session.trashedAt)
    throw new Problem('session_trashed', 'The session is in the trash: restore it first', { sessionId: id })
  checkNotTaken(session)
  const live = known ? undefined : await liveExecutionIn(tx, id)
  if (live)
    throw new Problem(
      'session_busy',
      `Execution ${live} is under way in this session: wait for it, or cancel it`,
      {
        executionId: live,
      },
    )
  return session
}

/** An execution that a body names: not finding it is the body's fault, not the address's. */
export async function theParent(tx: Tx, by: Principal, id: string): Promise<ExecutionRow> {
  try {
    return await visibleExecution(tx, by, id)
  } catch (error) {
    if (error instanceof Problem) throw bodyMisfit('parentExecutionId', `there is no execution ${id}`)
    throw error
  }
}

/**
 * Where it runs: as asked, else where the session is, else in the agent's folder. Null leaves it to the worker. Whoever does
 * not see a workspace cannot name it either; a session may go on where it ran.
 */
export async function theWorkspaceFor(
  tx: Tx,
  by: Principal,
  agent: Agent & { machineId: string },
  wanted: string | undefined,
  session: SessionRow | undefined,
  known?: WorkspaceRow,
): Promise<string | null> {
  const id = wanted ?? session?.workspaceId
  if (!id)
    return agent.workingDir === null
      ? null
      : (await folderWorkspace(tx, agent.machineId, agent.workingDir)).id
  const workspace = known?.id === id ? known : await findWorkspace(tx, id)
  const field = wanted ? 'workspaceId' : 'sessionId'
  const mayUse = (await maySeeWorkspace(tx, by, id)) || (session && (await hasRunIn(tx, id, session.id)))
  if (!workspace || !mayUse) throw bodyMisfit(field, `there is no workspace ${id}`)
  if (workspace.machineId !== agent.machineId)
    throw bodyMisfit(field, `the workspace is on another machine than ${agent.name}`)
  checkUsable(workspace)
  return id
}
