import type { Principal } from '#contract/access.ts'
import type { CreateRule, PolicyRule } from '#contract/approval.ts'
import { agentExists } from '#db/agents.ts'
import { noteAudit } from '#db/audit.ts'
import { insertRule } from '#db/policy-rules.ts'
import type { Tx } from '#db/pool.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'

export async function createRule(tx: Tx, by: Principal, wanted: CreateRule): Promise<PolicyRule> {
  if (wanted.agentId !== null && !(await agentExists(tx, wanted.agentId)))
    throw bodyMisfit('agentId', `there is no agent ${wanted.agentId}`)
  const rule = await insertRule(tx, { ...wanted, id: newId(), createdBy: by.id })
  if (!rule)
    throw new Problem('rule_exists', 'There is a rule for the same agent, tool and argument: delete it first')
  await noteRule(tx, by, 'rule added', rule)
  return rule
}

/** What is answered without a person is worth knowing who decided. */
export async function noteRule(
  tx: Tx,
  by: Principal,
  subject: 'rule added' | 'rule changed' | 'rule removed',
  {
    id,
    agentId,
    tool,
    argument,
    effect,
  }: Pick<PolicyRule, 'id' | 'agentId' | 'tool' | 'argument' | 'effect'>,
): Promise<void> {
  const detail = { rule: id, agentId, tool, argument: argument?.slice(0, 1_000) ?? null, effect }
  await noteAudit(tx, { kind: 'policy', actor: by.id, subject, outcome: 'ok', detail })
}
