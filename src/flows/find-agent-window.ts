import type { FoundWindow } from '#contract/internal.ts'
import { findExecution } from '#db/executions.ts'
import type { Database } from '#db/pool.ts'
import { findSession, liveExecutionIn } from '#db/sessions.ts'
import { Problem } from '#domain/problem.ts'

/** The agent's own screen on this machine, where it has one at present: somebody has taken it over, or a screen is all that it has. */
export async function findAgentWindow(
  db: Database,
  sessionId: string,
  machineId: string,
): Promise<FoundWindow> {
  const session = await findSession(db, sessionId)
  if (!session) throw new Problem('session_not_found', `No session ${sessionId}`)
  if (session.trashedAt)
    throw new Problem('session_trashed', 'The session is in the trash: restore it first', { sessionId })
  if (session.takenOverAt) return { terminal: session.tmuxSession, takenOver: true }
  const live = await liveExecutionIn(db, sessionId)
  const execution = live ? await findExecution(db, live) : undefined
  return { terminal: execution?.machineId === machineId ? execution.tmuxSession : null, takenOver: false }
}
