import { and, desc, eq, ne, sql } from 'drizzle-orm'
import type { EditRule, PolicyRule } from '#contract/approval.ts'
import type { Database, Tx } from './pool.ts'
import { policyRules } from './schema.ts'

type NewRule = typeof policyRules.$inferInsert

type Row = typeof policyRules.$inferSelect

const asRule = ({
  id,
  agentId,
  tool,
  argument,
  effect,
  approvalId,
  createdBy,
  createdAt,
}: Row): PolicyRule => ({
  id,
  agentId,
  tool,
  argument,
  effect,
  approvalId,
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

/** One change after another: two could otherwise become the same rule. */
export async function lockRule(tx: Tx, id: string): Promise<PolicyRule | undefined> {
  await tx.execute(sql`lock table ${policyRules} in share row exclusive mode`)
  const [row] = await tx.select().from(policyRules).where(eq(policyRules.id, id))
  return row && asRule(row)
}

/** Whether another rule is for the same agent, tool and argument. */
export async function isTwin(
  tx: Tx,
  { id, agentId, tool, argument }: Pick<PolicyRule, 'id' | 'agentId' | 'tool' | 'argument'>,
): Promise<boolean> {
  const isSame = and(
    ne(policyRules.id, id),
    sql`${policyRules.agentId} is not distinct from ${agentId}`,
    eq(policyRules.tool, tool),
    sql`${policyRules.argument} is not distinct from ${argument}`,
  )
  return (await tx.$count(policyRules, isSame)) > 0
}

export async function updateRule(
  tx: Tx,
  id: string,
  changes: { [Field in keyof EditRule]: EditRule[Field] | undefined },
): Promise<PolicyRule> {
  const [row] = await tx
    .update(policyRules)
    .set({ ...changes, id })
    .where(eq(policyRules.id, id))
    .returning()
  if (!row) throw new Error(`Rule ${id} is gone`)
  return asRule(row)
}

/** Answers with what it was, if there was one. */
export async function deleteRule(tx: Tx, id: string): Promise<PolicyRule | undefined> {
  const [row] = await tx.delete(policyRules).where(eq(policyRules.id, id)).returning()
  return row && asRule(row)
}
