import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { FoundTurns } from '#contract/internal.ts'
import type { OpenSession } from '#contract/session.ts'
import { appendEvents, lockStream } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { findSessionByRef, insertSession } from '#db/sessions.ts'
import { folderWorkspace } from '#db/workspaces.ts'
import { importedEvents, importedTitle } from '#domain/imported-turns.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { thePlacedAgent } from './open-session.ts'

/** Makes a session of one that the agent was found to have in its own history. Its next turn resumes it. Answers with its id. */
export async function adoptSession(
  tx: Tx,
  by: Principal,
  wanted: OpenSession,
  { session: { ref, cwd, title, file }, turns, leftOut, mark }: FoundTurns,
): Promise<string> {
  await lockStream(tx, BOARD_STREAM) // two that adopt the same come one after the other
  const agent = await thePlacedAgent(tx, wanted.agentId)
  if (wanted.workspaceId) throw bodyMisfit('workspaceId', 'a session that is adopted stays where it is')
  const taken = await findSessionByRef(tx, ref)
  if (taken)
    throw new Problem(
      'session_adopted',
      `Session ${taken.id} already is this one${taken.trashedAt ? ': it is in the trash, restore it' : ''}`,
      { sessionId: taken.id },
    )
  const id = newId()
  await insertSession(tx, {
    id,
    title: wanted.title ?? importedTitle(title, agent.name),
    agentId: agent.id,
    workspaceId: (await folderWorkspace(tx, agent.machineId, cwd)).id,
    createdBy: by.id,
    model: wanted.model ?? null,
    mode: wanted.mode ?? null,
    sessionRef: ref,
    facts: { sessionRef: ref },
    adoptedAt: new Date(),
    historyFile: file,
    historyMark: mark,
  })
  const adopted = { type: 'data-adopted', payload: { ref, turns: turns.length, leftOut, by: by.id } }
  await appendEvents(tx, id, [adopted, ...importedEvents(turns)])
  return id
}
