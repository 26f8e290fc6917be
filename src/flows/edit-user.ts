import type { EditUser, Principal, User } from '#contract/access.ts'
import type { Tx } from '#db/pool.ts'
import { deleteTicketsOf } from '#db/tickets.ts'
import { tellRevoked } from '#db/tokens.ts'
import { isNameTaken, lockUser, updateUser } from '#db/users.ts'
import { checkOwner, knownScopes } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import { checkNotOwner, nameTaken, noteUser } from './create-user.ts'

/** Other scopes hold from the next request on; what is open is ended, and whoever still may opens it again. */
export async function editUser(tx: Tx, by: Principal, id: string, wanted: EditUser): Promise<User> {
  checkOwner(by)
  const user = await lockUser(tx, id)
  if (!user) throw new Problem('user_not_found', `No user ${id}`)
  const { name, scopes } = wanted
  if (name !== undefined) checkNotOwner(name)
  if (name !== undefined && (await isNameTaken(tx, id, name))) throw nameTaken(name)
  const changed = await updateUser(tx, id, { name, ...(scopes && { scopes: knownScopes(scopes) }) })
  await deleteTicketsOf(tx, id)
  await tellRevoked(tx, id)
  await noteUser(tx, by, 'user changed', changed)
  return changed
}
