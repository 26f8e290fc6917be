import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { isDatabaseAway } from '#db/failure.ts'
import { passwordsIn } from '#lib/address-password.ts'

/** The message names the place and the reason, never the password. */
class DatabaseUnreachable extends Error {}

/** Waits until the Postgres of DATABASE_URL answers: in a deployment both may be starting at the same time. */
export async function untilReachable(url: string, patienceMs: number, signal: AbortSignal): Promise<void> {
  const end = Date.now() + patienceMs
  for (;;) {
    signal.throwIfAborted()
    try {
      await ask(url)
      return
    } catch (error) {
      const mayPass =
        isDatabaseAway(error) || /ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/.test(reasonOf(error))
      if (!mayPass || Date.now() > end)
        throw new DatabaseUnreachable(
          `The Postgres of DATABASE_URL (${placeOf(url)}) cannot be used: ${withoutSecret(reasonOf(error), url)}`,
        )
    }
    await wait(250, undefined, { signal })
  }
}

async function ask(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined) // a lost connection also rejects the query under way
  try {
    await client.connect()
    await client.query('select 1')
  } finally {
    await client.end().catch(() => undefined)
  }
}

function placeOf(url: string): string {
  const parsed = URL.parse(url) ?? URL.parse(url.replace('@/', '@localhost/'))
  return parsed ? `${parsed.searchParams.get('host') ?? parsed.host}${parsed.pathname}` : 'not an address'
}

/** One for each address tried, where a name has several. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

function withoutSecret(text: string, url: string): string {
  return passwordsIn(url).reduce((clean, secret) => clean.replaceAll(secret, '…'), text)
}
