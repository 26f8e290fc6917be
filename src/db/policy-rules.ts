import { desc, eq } from 'drizzle-orm'
import type { PolicyRule } from '#contract/approval.ts'
import type { Database, Tx } from './pool.ts'
import { policyRules } from './schema.ts'

type NewRule = typeof policyRules.$inferInsert

type Row = typeof policyRules.$inferSelect

const asRule = ({ id, agentId, tool, argument, effect, createdBy, createdAt }: Row): PolicyRule => ({
  id,
  agentId,
  tool,
  argument,
  effect,
  createdBy,
  createdAt: createdAt.toISOString(),
})

/** Returns nothing when there is one for the same agent, tool and argument. */
export async function insertRule(tx: Tx, rule: NewRule): Promise<PolicyRule | undefined> {
  const [row] = await tx.insert(policyRules).values(rule).onConflictDoNothing().returning()
  return row && asRule(row)
}

/** Takes the place of one for the same agent, tool and argument. */
export async function putRule(tx: Tx, rule: NewRule): Promise<void> {
  const { effect, approvalId, createdBy } = rule
  await tx
    .insert(policyRules)
    .values(rule)
    .onConflictDoUpdate({
      target: [policyRules.agentId, policyRules.tool, policyRules.argument],
      set: { effect, approvalId, createdBy, createdAt: new Date() },
    })
}

// Asked before every call of a tool: prepared once for each connection.
const forText = `
  select id, agent_id as "agentId", tool, argument, effect, approval_id as "approvalId",
    created_by as "createdBy", created_at as "createdAt"
  from policy_rules where agent_id is null or agent_id = $1`

/** Those for this agent, and those for every agent. */
export async function rulesFor(tx: Database | Tx, agentId: string | null): Promise<PolicyRule[]> {
  const statement = { name: 'rules for', text: forText, values: [agentId] }
  return (await tx.$client.query<Row>(statement)).rows.map(asRule)
}

/** Newest first. */
export async function listRules(db: Database): Promise<PolicyRule[]> {
  return (await db.select().from(policyRules).orderBy(desc(policyRules.id))).map(asRule)
}

/** Says whether there was one. */
export async function deleteRule(tx: Tx, id: string): Promise<boolean> {
  const { rowCount } = await tx.delete(policyRules).where(eq(policyRules.id, id))
  return rowCount === 1
}
