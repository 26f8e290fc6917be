import type { PolicyRule } from '../../../src/contract/approval.ts'

type Ordered = Pick<PolicyRule, 'effect' | 'agentId' | 'tool' | 'argument'>

/** As the server counts: a refusal first, then those of one agent, then those for all; asking before allowing. */
export function rank({ effect, agentId }: Ordered): number {
  if (effect === 'deny') return 0
  return (agentId ? 1 : 3) + (effect === 'ask' ? 0 : 1)
}

/** In the order in which they count; those that count alike by their names. */
export const inOrder = <Rule extends Ordered>(rules: readonly Rule[]): Rule[] =>
  rules.toSorted(
    (one, other) =>
      rank(one) - rank(other) ||
      one.tool.localeCompare(other.tool) ||
      (one.argument ?? '').localeCompare(other.argument ?? ''),
  )
