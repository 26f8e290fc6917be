import type { CreateUser, CreatedUser, Principal, User } from '#contract/access.ts'
import { noteAudit } from '#db/audit.ts'
import type { Tx } from '#db/pool.ts'
import { insertUserToken } from '#db/tokens.ts'
import { insertUser } from '#db/users.ts'
import { checkOwner, knownScopes, owner } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { hashSecret, newSecret } from '#lib/secret.ts'

export async function createUser(tx: Tx, by: Principal, wanted: CreateUser): Promise<CreatedUser> {
  checkOwner(by)
  checkNotOwner(wanted.name)
  const user = await insertUser(tx, { id: newId(), name: wanted.name, scopes: knownScopes(wanted.scopes) })
  if (!user) throw nameTaken(wanted.name)
  await noteUser(tx, by, 'user added', user)
  return { ...user, token: await giveToken(tx, user.id) }
}

export function checkNotOwner(name: string): void {
  if (name.toLowerCase() === owner.name.toLowerCase())
    throw new Problem('user_name_taken', `${owner.name} is the name of the owner`)
}

export const nameTaken = (name: string): Problem =>
  new Problem('user_name_taken', `There is already a user named ${name}`)

/** Who may come in, and with what. */
export async function noteUser(
  tx: Tx,
  by: Principal,
  subject: 'user added' | 'user changed' | 'token replaced' | 'user deleted',
  { id, name, scopes }: Pick<User, 'id' | 'name' | 'scopes'>,
): Promise<void> {
  const detail = { user: id, name, scopes }
  await noteAudit(tx, { kind: 'user', actor: by.id, subject, outcome: 'ok', detail })
}

/** The token is in this answer and nowhere else: only its hash is kept. */
export async function giveToken(tx: Tx, userId: string): Promise<string> {
  const token = newSecret('sbuser')
  await insertUserToken(tx, newId(), userId, hashSecret(token))
  return token
}
