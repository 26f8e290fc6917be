import { useQuery } from '@tanstack/react-query'
import type { Agent } from '../../../src/contract/agent.ts'
import { discoveryStrings } from '../../strings/discovery.ts'
import { roomApi } from '../../room-api.ts'
import { session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { agentEditStrings } from '../../strings/agent-edit.ts'
import { agentStrings } from '../../strings/agent.ts'
import { Button } from '../../ui/button.tsx'
import { ago } from '../../ui/time.ts'
import { openWindow } from '../shell/windows.tsx'

const words = agentStrings

/** Of agents that are asked in words: commands can be hundreds, of as many agents, and are read when one is to be run. */
const useCapabilities = ({ id, adapter }: Agent) =>
  useQuery({
    queryKey: ['capabilities', id],
    queryFn: ({ signal }) => roomApi.capabilities(id, signal),
    staleTime: 10_000,
    enabled: adapter !== 'template',
  }).data

interface Props {
  agent: Agent
  onRun: (agentId: string) => void
  onOpen: (agentId: string) => void
}

/** An agent that is registered: what it is, what it may do unasked, and the way to ask it. */
export function AgentRow({ agent, onRun, onOpen }: Props) {
  const { id, name, adapter, binaryPath, permissionPolicy, model, active, missingSince } = agent
  const capabilities = useCapabilities(agent) ?? []
  const isCommand = adapter === 'template'
  const mayRun = useStore(session, (key) =>
    key?.principal.scopes.some((scope) => scope === 'run' || (scope === 'chat' && adapter === 'chat')),
  )
  const canBeAsked =
    active && mayRun && capabilities.some(({ interactionMode }) => interactionMode === 'prompt')
  const commands = capabilities.filter(({ interactionMode }) => interactionMode === 'template').length
  const facts = [
    isCommand ? discoveryStrings.agent.command : adapter,
    ...(model ? [model] : []),
    ...(isCommand ? [] : [words.policy[permissionPolicy]]),
    ...(commands > 0 && !isCommand ? [words.commands(commands)] : []),
  ]
  return (
    <li data-agent={name} className="flex min-h-12 items-center gap-3 border-b border-line py-1.5">
      <div className="min-w-0 grow">
        <p className="flex items-baseline gap-2">
          <button
            type="button"
            aria-label={agentEditStrings.open(name)}
            className="min-w-0 truncate rounded-small font-medium hover:underline"
            onClick={() => onOpen(id)}
          >
            <bdi>{name}</bdi>
          </button>
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
        {missingSince && (
          <p className="text-small text-stop" data-missing>
            {discoveryStrings.agent.missing(ago(missingSince))}
          </p>
        )}
      </div>
      {canBeAsked && (
        <Button
          aria-label={words.askOne(name)}
          onClick={() => openWindow({ name: adapter === 'chat' ? 'newChat' : 'ask', agentId: id })}
        >
          {words.ask}
        </Button>
      )}
      {active && mayRun && isCommand && (
        <Button aria-label={discoveryStrings.agent.runOne(name)} onClick={() => onRun(id)}>
          {discoveryStrings.agent.run}
        </Button>
      )}
    </li>
  )
}
