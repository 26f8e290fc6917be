import { deleteRule as deleteRow } from '#db/policy-rules.ts'
import type { Tx } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'

/** What was answered by it stays answered. */
export async function deleteRule(tx: Tx, id: string): Promise<void> {
  if (!(await deleteRow(tx, id))) throw new Problem('rule_not_found', `No rule ${id}`)
}
