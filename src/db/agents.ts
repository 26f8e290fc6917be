import { asc, eq } from 'drizzle-orm'
import type { Agent } from '#contract/agent.ts'
import type { Database, Tx } from './pool.ts'
import { agents } from './schema.ts'

export async function listAgents(db: Database): Promise<Agent[]> {
  const rows = await db.select().from(agents).orderBy(asc(agents.name))
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
}

export async function agentExists(tx: Tx, id: string): Promise<boolean> {
  const found = await tx.select({ id: agents.id }).from(agents).where(eq(agents.id, id))
  return found.length > 0
}
