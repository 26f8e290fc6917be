import { eq, sql } from 'drizzle-orm'
import type { Database } from './pool.ts'
import { terminals, tokens, usedTerminalTokens } from './schema.ts'

/** Rings when a terminal serves at another place than before. */
export const TERMINALS_CHANNEL = 'terminals'

export type TerminalPlace = Pick<typeof terminals.$inferSelect, 'machineId' | 'port' | 'url'>

/** The terminal of this machine serves here, from now on. */
export async function putTerminal(db: Database, place: TerminalPlace): Promise<void> {
  const values = { ...place, startedAt: sql`now()` }
  await db.insert(terminals).values(values).onConflictDoUpdate({ target: terminals.machineId, set: values })
  await db.execute(sql`select pg_notify(${TERMINALS_CHANNEL}, '')`)
}

export async function listTerminals(db: Database): Promise<TerminalPlace[]> {
  return db
    .select({ machineId: terminals.machineId, port: terminals.port, url: terminals.url })
    .from(terminals)
}

export async function findTerminal(db: Database, machineId: string): Promise<TerminalPlace | undefined> {
  const [row] = await db.select().from(terminals).where(eq(terminals.machineId, machineId))
  return row
}

/** Of many who try at once one uses it. Those that have expired are of no use any more. */
export async function takeTerminalToken(db: Database, id: string, expiresAt: Date): Promise<boolean> {
  await db.execute(sql`
    delete from used_terminal_tokens where id in (
      select id from used_terminal_tokens where expires_at < now() - interval '1 hour' for update skip locked)`)
  const { rowCount } = await db.insert(usedTerminalTokens).values({ id, expiresAt }).onConflictDoNothing()
  return rowCount === 1
}

/** Which of these tokens still open anything. */
export async function livingTokens(db: Database, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from ${tokens} where id = any(${sql.param(ids)}::uuid[]) and (expires_at is null or expires_at > now())`)
  return new Set(rows.map(({ id }) => id))
}
