import { eq } from 'drizzle-orm'
import type { Database, Tx } from './pool.ts'
import { codeRuns } from './schema.ts'

export type CodeRunRow = typeof codeRuns.$inferSelect

export async function findCodeRun(db: Database | Tx, id: string): Promise<CodeRunRow | undefined> {
  const [row] = await db.select().from(codeRuns).where(eq(codeRuns.id, id))
  return row
}
