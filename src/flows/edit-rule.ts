import type { Principal } from '#contract/access.ts'
import type { EditRule, PolicyRule } from '#contract/approval.ts'
import { agentExists } from '#db/agents.ts'
import { isTwin, lockRule, updateRule } from '#db/policy-rules.ts'
import type { Tx } from '#db/pool.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { noteRule } from './create-rule.ts'

/** What was answered by it stays answered. */
export async function editRule(tx: Tx, by: Principal, id: string, wanted: EditRule): Promise<PolicyRule> {
  const rule = await lockRule(tx, id)
  if (!rule) throw new Problem('rule_not_found', `No rule ${id}`)
  if (wanted.agentId && !(await agentExists(tx, wanted.agentId)))
    throw bodyMisfit('agentId', `there is no agent ${wanted.agentId}`)
  const { agentId = rule.agentId, tool = rule.tool, argument = rule.argument } = wanted
  if (await isTwin(tx, { id, agentId, tool, argument }))
    throw new Problem('rule_exists', 'There is a rule for the same agent, tool and argument: delete it first')
  const changed = await updateRule(tx, id, wanted)
  await noteRule(tx, by, 'rule changed', changed)
  return changed
}
