import type { Principal } from '#contract/access.ts'
import { insertPreview, sweepExpiredPreviews, takePreviewTicket } from '#db/previews.ts'
import type { PreviewPlace } from '#db/previews.ts'
import type { Tx } from '#db/pool.ts'
import { ticketLifeMs } from '#domain/access.ts'
import { previewLifeMs } from '#domain/preview.ts'
import { hashSecret, newSecret } from '#lib/secret.ts'

/** Who asks for a preview, and with what: it ends when that does. */
export interface PreviewAsker {
  principal: Principal
  /** Null for a JWT, which is not kept. */
  tokenId: string | null
  /** When a JWT ends. */
  until: Date | null
}

/** A ticket for the address of a preview: it opens this one place, once, within 30 seconds. */
export async function issuePreviewTicket(
  tx: Tx,
  { principal, tokenId, until }: PreviewAsker,
  place: PreviewPlace,
): Promise<{ ticket: string; expiresAt: Date }> {
  await sweepExpiredPreviews(tx)
  const ticket = newSecret('sbpreview')
  const row = { ...place, hash: hashSecret(ticket), kind: 'ticket' as const, tokenId, principal, until }
  return { ticket, expiresAt: await insertPreview(tx, { ...row, lifeMs: ticketLifeMs }) }
}

/** Trades the ticket for a key that a browser keeps. Undefined when the ticket opens nothing here. */
export async function openPreview(
  tx: Tx,
  ticket: string,
  place: PreviewPlace,
): Promise<{ key: string; expiresAt: Date } | undefined> {
  const taken = await takePreviewTicket(tx, hashSecret(ticket), place)
  if (!taken) return undefined
  const key = newSecret('sbview')
  const row = { ...taken, hash: hashSecret(key), kind: 'key' as const }
  return { key, expiresAt: await insertPreview(tx, { ...row, lifeMs: previewLifeMs }) }
}
