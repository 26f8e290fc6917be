import type { Tx } from '#db/pool.ts'
import { deleteTicketsOf } from '#db/tickets.ts'
import { putOwnerToken, tellRevoked } from '#db/tokens.ts'
import { owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import { hashSecret } from '#lib/secret.ts'

/** Makes the token in a home's file the owner's. A new one ends everything that the home's old one had opened. */
export async function registerOwnerToken(tx: Tx, homeId: string, token: string): Promise<void> {
  const replaced = await putOwnerToken(tx, newId(), homeId, hashSecret(token))
  if (!replaced) return
  await deleteTicketsOf(tx, owner.id)
  await tellRevoked(tx, owner.id)
}
