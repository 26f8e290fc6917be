import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Capability } from '../../../src/contract/capability.ts'
import { roomApi } from '../../room-api.ts'
import { agentEditStrings as words } from '../../strings/agent-edit.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { AgentSettings } from './agent-settings.tsx'
import { CapabilityForm } from './capability-form.tsx'
import { CapabilityList } from './capability-list.tsx'

interface Props {
  agent: Agent
  isOwner: boolean
  onClose: () => void
}

/** An agent: what its owner decides of it, and what it can be asked for. */
export function AgentWindow({ agent, isOwner, onClose }: Props) {
  const [view, setView] = useState<'settings' | 'capabilities'>(isOwner ? 'settings' : 'capabilities')
  return (
    <Dialog title={agent.name} onClose={onClose} className="h-[76dvh] w-180">
      {isOwner && (
        <fieldset aria-label={words.view} className="flex gap-1 px-4 pb-3">
          {(['settings', 'capabilities'] as const).map((each) => (
            <Button
              key={each}
              look={view === each ? 'plain' : 'quiet'}
              aria-pressed={view === each}
              onClick={() => setView(each)}
            >
              {words[each]}
            </Button>
          ))}
        </fieldset>
      )}
      {view === 'settings' ? (
        <AgentSettings agent={agent} onClose={onClose} />
      ) : (
        <AskedFor agent={agent} isOwner={isOwner} />
      )}
    </Dialog>
  )
}

function AskedFor({ agent, isOwner }: Pick<Props, 'agent' | 'isOwner'>) {
  const [editing, setEditing] = useState<{ capability: Capability | null } | null>(null)
  const { data, error } = useQuery({
    queryKey: ['capabilities', agent.id],
    queryFn: ({ signal }) => roomApi.capabilities(agent.id, signal),
  })
  if (!data)
    return error ? (
      <p className="px-4 pb-4 wrap-anywhere text-stop">{error.message}</p>
    ) : (
      <output className="px-4 pb-4 text-mute">{strings.loading}</output>
    )
  if (editing)
    return (
      <CapabilityForm
        key={editing.capability?.id ?? 'new'}
        agent={agent}
        capability={editing.capability}
        onDone={() => setEditing(null)}
      />
    )
  return (
    <CapabilityList
      capabilities={data}
      onEdit={isOwner ? (capability) => setEditing({ capability }) : undefined}
    />
  )
}
