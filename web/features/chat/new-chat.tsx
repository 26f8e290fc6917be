import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import { api } from '../../api.ts'
import { chatStrings } from '../../strings/chat.ts'
import { strings } from '../../strings/page.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { closeWindow } from '../shell/windows.tsx'
import { useModels } from './models.ts'
import { NewChatForm } from './new-chat-form.tsx'
import { NoModels } from './no-models.tsx'

/** Begins a chat with a model: which one, in which workspace, and the first message. */
export default function NewChat({ agentId }: { agentId?: string | undefined }) {
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => api.agents(signal) })
  const chatting = useMemo(() => chattingAmong(agents.data ?? [], agentId), [agents.data, agentId])
  const [first] = chatting
  const models = useModels(first?.machineId ?? null, first !== undefined)
  const isRead = agents.data && (!first || models.data || models.error)
  return (
    <Dialog title={chatStrings.heading} onClose={closeWindow} className="w-160">
      {!isRead && !agents.error && (
        <output className="px-4 pb-4 text-mute">
          {agents.data ? chatStrings.model.asking : strings.loading}
        </output>
      )}
      {agents.error && <p className="px-4 pb-4 wrap-anywhere text-stop">{agents.error.message}</p>}
      {isRead && !first && (
        <p className="flex flex-col gap-1 px-4 pb-4">
          {chatStrings.noAgent}
          <span className="text-soft">{chatStrings.noAgentText}</span>
        </p>
      )}
      {isRead && first && models.data?.models.length === 0 && <NoModels machineId={first.machineId} />}
      {isRead && first && models.data?.models.length !== 0 && (
        <NewChatForm agents={[first, ...chatting.slice(1)]} />
      )}
    </Dialog>
  )
}

/** Those that are models: first the one that is meant, then the one that came with Signalbox. */
function chattingAmong(agents: readonly Agent[], wanted: string | undefined): Agent[] {
  const rank = ({ id, builtin }: Agent) => (id === wanted ? 2 : Number(builtin))
  return agents
    .filter(({ adapter, active }) => adapter === 'chat' && active)
    .toSorted((one, other) => rank(other) - rank(one))
}
