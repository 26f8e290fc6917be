import { and, ne, sql } from 'drizzle-orm'
import type { Tx } from './pool.ts'
import { codeRuns } from './schema.ts'

/** What somebody runs themselves and has not ended; not what agents run on their behalf. */
export async function openRunsOfTheirs(tx: Tx, personId: string): Promise<{ id: string; logs: string[] }[]> {
  return tx
    .select({ id: codeRuns.id, logs: codeRuns.logs })
    .from(codeRuns)
    .where(and(sql`${codeRuns.principal}->>'id' = ${personId}`, ne(codeRuns.status, 'ended')))
}
