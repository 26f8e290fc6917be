import type { PolicyVerdict, TryPolicy } from '#contract/approval.ts'
import { findAgent } from '#db/agents.ts'
import { rulesFor } from '#db/policy-rules.ts'
import type { Database } from '#db/pool.ts'
import { explain } from '#domain/policy-verdict.ts'
import type { Rule } from '#domain/policy.ts'
import { bodyMisfit } from '#domain/problem.ts'

/** What would be answered without a person, and by what; touches nothing. */
export async function tryPolicy(
  db: Database,
  asked: TryPolicy,
  configured: readonly Rule[],
): Promise<PolicyVerdict> {
  const { agentId, tool, argument, isPlace, readOnly, rule: given, without } = asked
  const agent = agentId === null ? undefined : await findAgent(db, agentId)
  if (agentId !== null && !agent) throw bodyMisfit('agentId', `there is no agent ${agentId}`)
  const kept = (await rulesFor(db, agentId)).filter(({ id }) => id !== without)
  const isMeant = given && (given.agentId === null || given.agentId === agentId)
  const rules: Rule[] = isMeant ? [given, ...kept] : kept
  const policy = asked.policy ?? agent?.permissionPolicy ?? 'ask'
  const request = { kind: 'tool' as const, tool, subject: argument, isPlace, readOnly }
  const { effect, by, rule } = explain({ policy, rules, configured, request })
  return {
    effect,
    decidedBy: by === 'rule' && rule === given ? 'given' : by,
    rule: rule && {
      id: kept.find((one) => one === rule)?.id ?? null,
      agentId: rule.agentId ?? null,
      tool: rule.tool,
      argument: rule.argument,
      effect: rule.effect,
    },
    policy,
  }
}
