import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { PermissionPolicy } from '../../../src/contract/agent.ts'
import type { Agent } from '../../../src/contract/agent.ts'
import { api } from '../../api.ts'
import { queryClient } from '../../query-client.ts'
import { policyStrings as words } from '../../strings/policy.ts'
import { settingsStrings } from '../../strings/settings.ts'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Choices } from '../../ui/menu.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { ChevronDown } from 'lucide-react'
import { Group } from './group.tsx'
import { Reading } from './reading.tsx'
import { settingsApi } from './settings-api.ts'
import { told } from './told.ts'

/** What each agent does where no rule says anything. */
export function AgentPolicies() {
  const { data, error, refetch } = useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => api.agents(signal),
  })
  const asking = data?.filter(({ adapter }) => adapter !== 'template')
  return (
    <Group title={words.agents} hint={words.agentsHint}>
      {!asking && <Reading error={error} again={refetch} />}
      {asking?.length === 0 && <p className="py-2 text-soft">{words.noAgents}</p>}
      <ul>
        {asking?.map((agent) => (
          <AgentPolicy key={agent.id} agent={agent} />
        ))}
      </ul>
    </Group>
  )
}

function AgentPolicy({ agent: { id, name, permissionPolicy: policy } }: { agent: Agent }) {
  const [asks, setAsks] = useState(false)
  const choose = async (permissionPolicy: PermissionPolicy) => {
    await settingsApi.editAgent(id, { permissionPolicy })
    toast(settingsStrings.saved)
    await queryClient.invalidateQueries({ queryKey: ['agents'] })
  }
  return (
    <li data-agent-policy={name} className="flex min-h-12 items-center gap-3 border-b border-line py-1.5">
      <div className="min-w-0 grow">
        <bdi className="font-medium">{name}</bdi>
        <p className="text-small text-mute">{words.policyMeans[policy]}</p>
      </div>
      <Choices
        label={words.policyOf(name)}
        value={policy}
        choices={PermissionPolicy.options.map((value) => ({
          value,
          label: (
            <span>
              {words.policy[value]}
              <span className="block text-small text-mute">{words.policyMeans[value]}</span>
            </span>
          ),
        }))}
        onChoose={(value) => (value === 'all' ? setAsks(true) : void told(() => choose(value)))}
      >
        <Button>
          {words.policy[policy]}
          <ChevronDown size={14} className="text-mute" aria-hidden />
        </Button>
      </Choices>
      {asks && (
        <AskFirst
          title={words.allTitle(name)}
          text={words.allText}
          act={words.allAct}
          onAct={() => choose('all')}
          onClose={() => setAsks(false)}
        />
      )}
    </li>
  )
}
