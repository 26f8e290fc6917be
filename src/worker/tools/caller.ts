import type { Principal } from '#contract/access.ts'
import { findAgent } from '#db/agents.ts'
import type { Database } from '#db/pool.ts'
import { findSession } from '#db/sessions.ts'
import { Problem } from '#domain/problem.ts'
import type { Caller } from '#tools/port.ts'

export interface CallWish {
  /** For the tools of a workspace: in the workspace of this session. */
  sessionId?: string | undefined
  confirmed?: boolean | undefined
}

export type CallerOf = (by: Principal, wish?: CallWish) => Promise<Caller>

/** Who calls, as the registry knows them. A session that is not theirs does not exist for them. */
export function openCallers(db: Database): CallerOf {
  return async (by, { sessionId, confirmed } = {}) => {
    if (by.kind === 'agent') return agentOf(db, by, sessionId)
    if (sessionId !== undefined) {
      const session = await findSession(db, sessionId)
      if (!session || (by.kind !== 'owner' && session.createdBy !== by.id))
        throw new Problem('session_not_found', `No session ${sessionId}`)
      if (session.trashedAt)
        throw new Problem('session_trashed', 'The session is in the trash: restore it first')
    }
    return {
      kind: 'person',
      id: by.id,
      name: by.name,
      isOwner: by.kind === 'owner',
      scopes: by.scopes,
      ...(sessionId !== undefined && { sessionId }),
      ...(confirmed && { confirmed }),
    }
  }
}

/** An agent acts in its own session alone, and only while something is live there. */
async function agentOf(db: Database, by: Principal, sessionId: string | undefined): Promise<Caller> {
  const acting = by.agent
  const agent = acting && (await findAgent(db, acting.agentId))
  if (!acting || !agent) throw new Problem('forbidden', 'The agent of this token is gone')
  if (sessionId !== undefined && sessionId !== acting.sessionId)
    throw new Problem('session_not_found', `No session ${sessionId}`)
  if (acting.executionId === null)
    throw new Problem(
      'no_live_execution',
      'Nothing is under way in the session of this agent, so nothing can be done in its name',
    )
  return {
    kind: 'agent',
    id: by.id,
    agentId: agent.id,
    agentName: agent.name,
    allowedTools: agent.allowedTools,
    sessionId: acting.sessionId,
    executionId: acting.executionId,
    onBehalfOf: acting.onBehalfOf,
  }
}
