import { and, asc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Agent } from '#contract/agent.ts'
import { madeOnce } from './made-once.ts'
import type { Database, Tx } from './pool.ts'
import { agents } from './schema.ts'

type Row = typeof agents.$inferSelect
type NewAgent = typeof agents.$inferInsert
type AgentChanges = { [Field in keyof NewAgent]?: NewAgent[Field] | undefined }

export const asAgent = (row: Row): Agent => ({
  ...row,
  missingSince: row.missingSince?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
})

export async function listAgents(db: Database): Promise<Agent[]> {
  const rows = await db.select().from(agents).orderBy(asc(agents.name))
  return rows.map(asAgent)
}

export async function findAgent(db: Database | Tx, id: string): Promise<Agent | undefined> {
  const [row] = await db.select().from(agents).where(eq(agents.id, id))
  return row && asAgent(row)
}

/** Whoever looks for the agent with which models are talked to on a machine, and makes it, comes one after the other. */
export async function lockBuiltinChat(tx: Tx, machineId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext('chat agent'), hashtext(${machineId}))`)
}

/** The one that came with Signalbox, for chat with models on this machine. */
export async function findBuiltinChat(tx: Tx, machineId: string): Promise<Agent | undefined> {
  const [row] = await tx
    .select()
    .from(agents)
    .where(and(eq(agents.machineId, machineId), eq(agents.adapter, 'chat'), eq(agents.builtin, true)))
    .orderBy(asc(agents.createdAt))
  return row && asAgent(row)
}

/** Those with a program on this machine. */
export async function programsOfAgents(
  db: Database,
  machineId: string,
): Promise<{ id: string; binaryPath: string }[]> {
  const rows = await db
    .select({ id: agents.id, binaryPath: agents.binaryPath })
    .from(agents)
    .where(eq(agents.machineId, machineId))
  return rows.flatMap(({ id, binaryPath }) => (binaryPath === null ? [] : [{ id, binaryPath }]))
}

/** Only an agent that still has the program that was looked for. Answers with it when that says something new. */
export async function markMissing(
  tx: Tx,
  { id, binaryPath }: { id: string; binaryPath: string },
  isMissing: boolean,
): Promise<Agent | undefined> {
  const [row] = await tx
    .update(agents)
    .set({ missingSince: isMissing ? sql`now()` : null })
    .where(
      and(
        eq(agents.id, id),
        eq(agents.binaryPath, binaryPath),
        isMissing ? isNull(agents.missingSince) : isNotNull(agents.missingSince),
      ),
    )
    .returning()
  return row && asAgent(row)
}

/** The ones that run this program on this machine. */
export async function agentsOfProgram(tx: Tx, machineId: string, binaryPath: string): Promise<Agent[]> {
  const rows = await tx
    .select()
    .from(agents)
    .where(and(eq(agents.machineId, machineId), eq(agents.binaryPath, binaryPath)))
    .orderBy(asc(agents.createdAt))
  return rows.map(asAgent)
}

const selectLocked = madeOnce('lock_agent', (db) =>
  db
    .select()
    .from(agents)
    .where(eq(agents.id, sql.placeholder('id')))
    .for('update'),
)

/** Two flows about the same agent come one after the other. */
export async function lockAgent(tx: Tx, id: string): Promise<Agent | undefined> {
  const [row] = await selectLocked(tx, { id })
  return row && asAgent(row)
}

export async function agentExists(tx: Tx, id: string): Promise<boolean> {
  const found = await tx.select({ id: agents.id }).from(agents).where(eq(agents.id, id))
  return found.length > 0
}

/** Returns nothing when the name is taken. */
export async function insertAgent(tx: Tx, agent: NewAgent): Promise<Agent | undefined> {
  const [row] = await tx.insert(agents).values(agent).onConflictDoNothing({ target: agents.name }).returning()
  return row && asAgent(row)
}

export async function isAgentNameTaken(tx: Tx, name: string): Promise<boolean> {
  return (await tx.$count(agents, eq(agents.name, name))) > 0
}

export async function updateAgent(tx: Tx, id: string, changes: AgentChanges): Promise<Agent> {
  const [row] = await tx.update(agents).set(changes).where(eq(agents.id, id)).returning()
  if (!row) throw new Error(`Agent ${id} is gone although it was locked`)
  return asAgent(row)
}

/** Its capabilities go with it; its sessions and executions stay and name it. */
export async function deleteAgent(tx: Tx, id: string): Promise<void> {
  await tx.delete(agents).where(eq(agents.id, id))
}
