import type { CreatedUser, Principal } from '#contract/access.ts'
import type { Tx } from '#db/pool.ts'
import { deleteTicketsOf } from '#db/tickets.ts'
import { deleteTokensOfUser, tellRevoked } from '#db/tokens.ts'
import { lockUser } from '#db/users.ts'
import { checkOwner } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import { giveToken, noteUser } from './create-user.ts'

/** Gives a user a new token; the old one, its session keys and its tickets are worth nothing from then on. */
export async function rotateUserToken(tx: Tx, by: Principal, userId: string): Promise<CreatedUser> {
  checkOwner(by)
  const user = await lockUser(tx, userId)
  if (!user) throw new Problem('user_not_found', `No user ${userId}`)
  await deleteTokensOfUser(tx, userId)
  await deleteTicketsOf(tx, userId)
  await tellRevoked(tx, userId)
  await noteUser(tx, by, 'token replaced', user)
  return { ...user, token: await giveToken(tx, userId) }
}
