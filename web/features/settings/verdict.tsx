import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import type { TryPolicy } from '../../../src/contract/approval.ts'
import { policyStrings as words } from '../../strings/policy.ts'
import { EffectSignal } from './rule-row.tsx'
import { settingsApi } from './settings-api.ts'

interface Props {
  asked: Partial<TryPolicy> & Pick<TryPolicy, 'tool'>
  nameOf: (agentId: string | null) => string
}

/** What would be answered, and by what. */
export function Verdict({ asked, nameOf }: Props) {
  const deferred = useDeferredValue(JSON.stringify(asked))
  const { data, error } = useQuery({
    queryKey: ['verdict', deferred],
    queryFn: ({ signal }) => settingsApi.tryPolicy(JSON.parse(deferred) as Props['asked'], signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  })
  if (!data)
    return (
      <output className="flex min-h-10 items-center text-small text-mute">
        {error ? error.message : words.trying}
      </output>
    )
  const { effect, decidedBy, rule, policy } = data
  const sentence = rule ? words.sentence(rule.effect, nameOf(rule.agentId), rule.tool, rule.argument) : ''
  const because = {
    given: words.because.given,
    rule: words.because.rule(sentence),
    file: words.because.file(sentence),
    policy: words.because.policy(words.policy[policy]),
    unclear: words.because.unclear,
  }[decidedBy]
  return (
    <output data-verdict={effect} className="flex min-h-10 items-center gap-3">
      <EffectSignal effect={effect} />
      <span dir="auto" className="min-w-0 wrap-anywhere">
        {words.verdict[effect]} <span className="text-soft">{because}</span>
      </span>
    </output>
  )
}
