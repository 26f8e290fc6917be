import type { Principal } from '#contract/access.ts'
import { appendEvents, lockStream } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { liveExecutionIn, updateSession } from '#db/sessions.ts'
import { checkAtRest } from '#domain/session.ts'
import { theOwnSession } from './find-session.ts'

/** The next turn begins a new session of the agent's own, which knows nothing of what was said until now. */
export async function startAfresh(tx: Tx, by: Principal, id: string): Promise<void> {
  await lockStream(tx, id)
  const { takenOverAt } = await theOwnSession(tx, by, id)
  checkAtRest(await liveExecutionIn(tx, id), takenOverAt)
  await updateSession(tx, id, { sessionRef: null })
  await appendEvents(tx, id, [{ type: 'data-afresh', payload: { by: by.id } }])
}
