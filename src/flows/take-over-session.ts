import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { NewEvent } from '#contract/event.ts'
import { findAgent } from '#db/agents.ts'
import { enqueueCommand } from '#db/commands.ts'
import { appendEvents, lockStream } from '#db/events.ts'
import { lockExecution } from '#db/executions.ts'
import type { Tx } from '#db/pool.ts'
import { liveExecutionIn, updateSession } from '#db/sessions.ts'
import { ownInterface } from '#domain/own-interface.ts'
import { Problem } from '#domain/problem.ts'
import { expireApprovalsOf } from './ask-approval.ts'
import { theOwnSession } from './find-session.ts'

/**
 * Locks a session for a person: what is under way is interrupted, what it asks is not waited for any more, and nothing begins
 * in it until it is handed back. Twice is once.
 */
export async function takeOverSession(tx: Tx, by: Principal, id: string): Promise<void> {
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, id)
  const session = await theOwnSession(tx, by, id)
  if (session.takenOverAt) return
  if (session.trashedAt)
    throw new Problem('session_trashed', 'The session is in the trash: restore it first', { sessionId: id })
  const agent = session.agentId ? await findAgent(tx, session.agentId) : undefined
  if (!agent) throw new Problem('cannot_take_over', 'The agent of this session is gone')
  if (!ownInterface(agent, null))
    throw new Problem('cannot_take_over', `${agent.name} has no interface of its own that is known`)
  const live = await liveExecutionIn(tx, id)
  const events = live ? await interrupt(tx, by, live) : []
  events.push({ type: 'data-takeover', payload: { state: 'begun', by: by.id } })
  await appendEvents(tx, id, events)
  await updateSession(tx, id, { takenOverAt: new Date(), takenOverBy: by.id, tmuxSession: null })
}

async function interrupt(tx: Tx, by: Principal, id: string): Promise<NewEvent[]> {
  const row = await lockExecution(tx, id)
  if (row.status === 'queued')
    throw new Problem(
      'session_busy',
      `Execution ${id} of this session has not begun yet: wait for it, or cancel it`,
      { executionId: id },
    )
  await enqueueCommand(tx, id, { type: 'interrupt', payload: {}, createdBy: by.id })
  return expireApprovalsOf(tx, row, 'taken over')
}

/** What the terminal of a session is called, and how far the agent's own history was when it opened. */
export interface Opened {
  tmuxSession: string
  sessionRef: string | null
  historyFile: string | null
  historyMark: string | null
}

/** The person can attach to it now. */
export async function noteTerminal(tx: Tx, id: string, { sessionRef, ...opened }: Opened): Promise<void> {
  await lockStream(tx, id)
  await updateSession(tx, id, opened)
  const payload = { state: 'open', tmuxSession: opened.tmuxSession, isFresh: sessionRef === null }
  await appendEvents(tx, id, [{ type: 'data-takeover', payload }])
}
