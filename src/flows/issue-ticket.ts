import type { Principal, Ticket } from '#contract/access.ts'
import type { Tx } from '#db/pool.ts'
import { insertTicket, sweepExpiredTickets } from '#db/tickets.ts'
import { checkPerson, ticketLifeMs } from '#domain/access.ts'
import { hashSecret, newSecret } from '#lib/secret.ts'

/** Stands for a token, once and for 30 seconds, where no header can be sent: in the address of a stream or socket. */
export async function issueTicket(tx: Tx, principal: Principal): Promise<Ticket> {
  checkPerson(principal) // an agent's token dies with its process, and so must all that comes of it
  await sweepExpiredTickets(tx)
  const ticket = newSecret('sbticket')
  const expiresAt = await insertTicket(tx, hashSecret(ticket), principal, ticketLifeMs)
  return { ticket, expiresAt: expiresAt.toISOString() }
}
