import { eq, sql } from 'drizzle-orm'
import type { Database } from './pool.ts'
import { terminals, tokens, usedTerminalTokens } from './schema.ts'

export type TerminalPlace = Pick<typeof terminals.$inferSelect, 'machineId' | 'port' | 'url'>

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
