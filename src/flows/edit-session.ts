import type { Principal } from '#contract/access.ts'
import type { EditSession } from '#contract/session.ts'
import { findAgent } from '#db/agents.ts'
import { enqueueCommand } from '#db/commands.ts'
import { appendEvents, lockStream } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { liveExecutionIn, updateSession } from '#db/sessions.ts'
import { checkMayTalkTo } from '#domain/access.ts'
import { checkChoice, checkMayChoose, switchTold } from '#domain/session.ts'
import { theOwnSession } from './find-session.ts'

/** Another title, or another model or mode: at once where an agent is at work, else from the next turn on. */
export async function editSession(tx: Tx, by: Principal, id: string, edit: EditSession): Promise<void> {
  await lockStream(tx, id)
  const session = await theOwnSession(tx, by, id)
  const agent = session.agentId ? await findAgent(tx, session.agentId) : undefined
  checkMayTalkTo(by, agent)
  if (Object.keys(edit).length === 0) return
  checkChoice('model', edit.model, session.facts, agent)
  checkChoice('mode', edit.mode, session.facts, agent)
  checkMayChoose(by, edit.mode, agent)
  await updateSession(tx, id, edit)
  await appendEvents(tx, id, [{ type: 'data-edited', payload: { ...edit, by: by.id } }])
  const told = switchTold(edit, agent)
  const live = told && (await liveExecutionIn(tx, id))
  if (live) await enqueueCommand(tx, live, { type: 'mode', payload: told, createdBy: by.id })
}
