import { expect, test } from 'vitest'
import { inOrder } from './rule-order.ts'

test('a refusal counts before what is said of one agent, that before what is said of all, and asking before allowing', () => {
  const rule = (effect: 'allow' | 'deny' | 'ask', agentId: string | null, tool = 'Bash') => ({
    effect,
    agentId,
    tool,
    argument: null,
  })
  const rules = [
    rule('allow', null),
    rule('ask', null),
    rule('allow', 'a'),
    rule('ask', 'a'),
    rule('deny', null, 'Write'),
    rule('deny', 'a'),
  ]
  expect(inOrder(rules).map(({ effect, agentId, tool }) => [effect, agentId, tool])).toEqual([
    ['deny', 'a', 'Bash'],
    ['deny', null, 'Write'],
    ['ask', 'a', 'Bash'],
    ['allow', 'a', 'Bash'],
    ['ask', null, 'Bash'],
    ['allow', null, 'Bash'],
  ])
})
