import type { RuleEffect } from '#contract/approval.ts'
import { byPolicy, byRules, decide, ruleAbout } from './policy.ts'
import type { Known, Rule } from './policy.ts'

export interface Verdict<Kept> {
  effect: RuleEffect
  /** `rule`: one of the kept. `file`: one of the configuration. `unclear`: a rule might be about it, so a person is asked. */
  by: 'rule' | 'file' | 'policy' | 'unclear'
  rule: Kept | Rule | null
}

/** What is decided about one thing, and by what. */
export function explain<Kept extends Rule>(known: Known & { rules: readonly Kept[] }): Verdict<Kept> {
  const { policy, request, configured = [] } = known
  const effect = decide(known)
  const said = byRules(known, request.subject)
  if ((said ?? byPolicy(policy, request)) !== effect) return { effect, by: 'unclear', rule: null }
  const rule = said && ruleAbout(known, request.subject)
  if (!rule) return { effect, by: 'policy', rule: null }
  return { effect, by: configured.includes(rule) ? 'file' : 'rule', rule }
}
