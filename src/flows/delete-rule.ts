import type { Principal } from '#contract/access.ts'
import { deleteRule as deleteRow } from '#db/policy-rules.ts'
import type { Tx } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import { noteRule } from './create-rule.ts'

/** What was answered by it stays answered. */
export async function deleteRule(tx: Tx, by: Principal, id: string): Promise<void> {
  const rule = await deleteRow(tx, id)
  if (!rule) throw new Problem('rule_not_found', `No rule ${id}`)
  await noteRule(tx, by, 'rule removed', rule)
}
