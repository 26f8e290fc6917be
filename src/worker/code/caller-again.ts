import type { Principal } from '#contract/access.ts'
import type { ExecuteCode } from '#contract/execute.ts'
import type { Database } from '#db/pool.ts'
import { findUser } from '#db/users.ts'
import { Problem } from '#domain/problem.ts'
import type { Caller } from '#tools/port.ts'
import type { CallerOf } from '../tools/caller.ts'

const isUserId = /^[0-9a-f]{8}-/

/** Whoever ran it, as they are now: a person may be gone by the time that somebody answers, or may not run code any more. */
export async function callerAgain(
  db: Database,
  callerOf: CallerOf,
  by: Principal,
  { sessionId, confirm }: Pick<ExecuteCode, 'sessionId' | 'confirm'>,
): Promise<Caller> {
  const wish = { sessionId, confirmed: confirm }
  if (by.kind !== 'user' || !isUserId.test(by.id)) return callerOf(by, wish)
  const user = await findUser(db, by.id)
  if (!user?.scopes.includes('code'))
    throw new Problem('forbidden', `${by.name}, who ran this, may not run code any more`)
  return callerOf({ ...by, scopes: user.scopes }, wish)
}
