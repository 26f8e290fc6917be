import type { CreateUser, CreatedUser, Principal } from '#contract/access.ts'
import type { Tx } from '#db/pool.ts'
import { insertUserToken } from '#db/tokens.ts'
import { insertUser } from '#db/users.ts'
import { checkOwner, knownScopes, owner } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { hashSecret, newSecret } from '#lib/secret.ts'

export async function createUser(tx: Tx, by: Principal, wanted: CreateUser): Promise<CreatedUser> {
  checkOwner(by)
  if (wanted.name.toLowerCase() === owner.name.toLowerCase())
    throw new Problem('user_name_taken', `${owner.name} is the name of the owner`)
  const user = await insertUser(tx, { id: newId(), name: wanted.name, scopes: knownScopes(wanted.scopes) })
  if (!user) throw new Problem('user_name_taken', `There is already a user named ${wanted.name}`)
  return { ...user, token: await giveToken(tx, user.id) }
}

/** The token is in this answer and nowhere else: only its hash is kept. */
export async function giveToken(tx: Tx, userId: string): Promise<string> {
  const token = newSecret('sbuser')
  await insertUserToken(tx, newId(), userId, hashSecret(token))
  return token
}
