import type { Principal } from '#contract/access.ts'
import { openRunsOfTheirs } from '#db/code-of-person.ts'
import type { Tx } from '#db/pool.ts'
import { deleteGrantsOf } from '#db/source-grants.ts'
import { deleteTicketsOf } from '#db/tickets.ts'
import { tellRevoked } from '#db/tokens.ts'
import { deleteUser as deleteRow, lockUser } from '#db/users.ts'
import { checkOwner } from '#domain/access.ts'
import { cancelledResult } from '#domain/code-run.ts'
import { Problem } from '#domain/problem.ts'
import { noteUser } from './create-user.ts'
import { endCodeRun } from './end-code-run.ts'

/**
 * Deletes a user with every token, session key and ticket, and with what upstreams gave. What the user made stays; code that
 * still runs for them ends, and what it asked is asked no more.
 */
export async function deleteUser(tx: Tx, by: Principal, userId: string): Promise<void> {
  checkOwner(by)
  for (const run of await openRunsOfTheirs(tx, userId))
    await endCodeRun(tx, run.id, cancelledResult(run, 'The user who ran this was deleted'))
  const user = await lockUser(tx, userId)
  if (!user) throw new Problem('user_not_found', `No user ${userId}`)
  await deleteRow(tx, userId)
  await deleteTicketsOf(tx, userId)
  await deleteGrantsOf(tx, userId)
  await tellRevoked(tx, userId)
  await noteUser(tx, by, 'user deleted', user)
}
