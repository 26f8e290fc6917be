import { useQuery } from '@tanstack/react-query'
import type { Agent } from '../../../src/contract/agent.ts'
import { roomApi } from '../../room-api.ts'
import { roomStrings } from '../../room-strings.ts'
import { Button } from '../../ui/button.tsx'
import { openWindow } from '../shell/windows.tsx'

export const useCapabilities = (agentId: string) =>
  useQuery({
    queryKey: ['capabilities', agentId],
    queryFn: ({ signal }) => roomApi.capabilities(agentId, signal),
    staleTime: 10_000,
  }).data

/** An agent that is registered: what it is, what it may do unasked, and the way to ask it. */
export function AgentRow({
  agent: { id, name, adapter, binaryPath, permissionPolicy, model, active },
}: {
  agent: Agent
}) {
  const words = roomStrings.agents
  const capabilities = useCapabilities(id) ?? []
  const canBeAsked = active && capabilities.some(({ interactionMode }) => interactionMode === 'prompt')
  const commands = capabilities.filter(({ interactionMode }) => interactionMode === 'template').length
  const facts = [
    adapter,
    ...(model ? [model] : []),
    ...(adapter === 'template' ? [] : [words.policy[permissionPolicy]]),
    ...(commands > 0 ? [words.commands(commands)] : []),
  ]
  return (
    <li data-agent={name} className="flex min-h-12 items-center gap-3 border-b border-line py-1.5">
      <div className="min-w-0 grow">
        <p className="flex items-baseline gap-2">
          <bdi className="truncate font-medium">{name}</bdi>
          {!active && <span className="text-small text-mute">{words.inactive}</span>}
        </p>
        <p className="truncate text-small text-mute">
          {facts.join(' · ')}
          {binaryPath && (
            <bdi dir="ltr" className="ms-2 font-mono text-tiny">
              {binaryPath}
            </bdi>
          )}
        </p>
      </div>
      {canBeAsked && (
        <Button
          aria-label={words.askOne(name)}
          onClick={() => openWindow({ name: adapter === 'chat' ? 'newChat' : 'ask', agentId: id })}
        >
          {words.ask}
        </Button>
      )}
    </li>
  )
}
