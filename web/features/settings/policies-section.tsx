import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PolicyRule } from '../../../src/contract/approval.ts'
import { api } from '../../api.ts'
import { queryClient } from '../../query-client.ts'
import { session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { policyStrings as words } from '../../strings/policy.ts'
import { Button } from '../../ui/button.tsx'
import { AgentPolicies } from './agent-policies.tsx'
import { Group } from './group.tsx'
import { Reading } from './reading.tsx'
import { RuleForm } from './rule-form.tsx'
import { inOrder } from './rule-order.ts'
import { EffectSignal, RuleRow } from './rule-row.tsx'
import { settingsApi } from './settings-api.ts'
import { TryRules } from './try-rules.tsx'

/** What is answered without a person: by agent, by rules, and what that would mean. */
export default function PoliciesSection() {
  const isOwner = useStore(session, (key) => key?.principal.kind === 'owner')
  const { data, error, refetch } = useQuery({
    queryKey: ['rules'],
    queryFn: ({ signal }) => settingsApi.rules(signal),
    staleTime: 5_000,
    refetchInterval: 15_000, // somebody may answer for good in the inbox meanwhile
  })
  const configured = useQuery({
    queryKey: ['rules', 'configured'],
    queryFn: ({ signal }) => settingsApi.configured(signal),
  })
  // Who may only answer questions may not know of agents; their rules are still told.
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => api.agents(signal) })
  const nameOf = (agentId: string | null) =>
    agentId === null
      ? words.everyAgent
      : (agents.data?.find(({ id }) => id === agentId)?.name ?? words.oneAgent)
  const [form, setForm] = useState<{ rule?: PolicyRule } | null>(null)
  const reread = () => queryClient.invalidateQueries({ queryKey: ['rules'] })
  return (
    <>
      {isOwner && <AgentPolicies />}
      <Group
        title={words.rules}
        hint={words.rulesHint}
        aside={
          isOwner && (
            <Button look="main" onClick={() => setForm({})}>
              {words.add}
            </Button>
          )
        }
      >
        {!data && <Reading error={error} again={refetch} />}
        {data?.length === 0 && <p className="max-w-160 py-2 text-soft">{words.none}</p>}
        <ol>
          {data &&
            inOrder(data).map((rule, index) => (
              <RuleRow
                key={rule.id}
                rule={rule}
                number={index + 1}
                who={nameOf(rule.agentId)}
                isOwner={isOwner}
                onEdit={() => setForm({ rule })}
                onChanged={reread}
              />
            ))}
        </ol>
      </Group>
      {configured.data && configured.data.length > 0 && (
        <Group title={words.configured} hint={words.configuredHint}>
          <ol>
            {configured.data.map(({ tool, argument, effect }) => (
              <li
                key={`${tool} ${argument ?? ''} ${effect}`}
                className="flex min-h-10 items-center gap-3 border-b border-line py-1.5"
              >
                <EffectSignal effect={effect} />
                <span dir="auto">{words.sentence(effect, words.everyAgent, tool, argument)}</span>
              </li>
            ))}
          </ol>
        </Group>
      )}
      <TryRules agents={agents.data ?? []} nameOf={nameOf} />
      {form && (
        <RuleForm
          rule={form.rule}
          agents={agents.data ?? []}
          nameOf={nameOf}
          onClose={() => setForm(null)}
          onSaved={reread}
        />
      )}
    </>
  )
}
