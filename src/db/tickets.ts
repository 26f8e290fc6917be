import { and, eq, gt, sql } from 'drizzle-orm'
import type { Principal } from '#contract/access.ts'
import type { Database, Tx } from './pool.ts'
import { tickets } from './schema.ts'

export async function insertTicket(
  tx: Tx,
  hash: Buffer,
  principal: Principal,
  lifeMs: number,
): Promise<Date> {
  const [row] = await tx
    .insert(tickets)
    .values({ hash, principal, expiresAt: sql`now() + ${lifeMs} * interval '1 millisecond'` })
    .returning({ expiresAt: tickets.expiresAt })
  if (!row) throw new Error('An inserted ticket was not returned')
  return row.expiresAt
}

/** Takes a ticket away and says whose it was: one statement, so that of many who try at once one gets it. */
export async function takeTicket(db: Database | Tx, hash: Buffer): Promise<Principal | undefined> {
  const [row] = await db
    .delete(tickets)
    .where(and(eq(tickets.hash, hash), gt(tickets.expiresAt, sql`now()`)))
    .returning({ principal: tickets.principal })
  return row?.principal
}

export async function sweepExpiredTickets(tx: Tx): Promise<void> {
  await tx.execute(sql`
    delete from tickets where hash in (
      select hash from tickets where expires_at <= now() for update skip locked)`)
}

export async function deleteTicketsOf(tx: Tx, principalId: string): Promise<void> {
  await tx.delete(tickets).where(sql`${tickets.principal} ->> 'id' = ${principalId}`)
}
