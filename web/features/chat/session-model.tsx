import { useState } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Session } from '../../../src/contract/session.ts'
import { chatStrings } from '../../strings/chat.ts'
import { queryClient } from '../../query-client.ts'
import { announce } from '../../ui/announce.tsx'
import { toast } from '../../ui/toast.tsx'
import { chatApi } from './chat-api.ts'
import { ModelPicker } from './model-picker.tsx'

interface Props {
  session: Session
  agent: Agent
  isAtWork: boolean
}

/** Which model answers in a session, and the way to another one between two answers. */
export function SessionModel({ session, agent, isAtWork }: Props) {
  const [isChanging, setChanging] = useState(false)
  const choose = async (model: string | null) => {
    setChanging(true)
    try {
      queryClient.setQueryData(['session', session.id], await chatApi.edit(session.id, { model }))
      announce(chatStrings.model.changed(model ?? chatStrings.model.default))
    } catch (error) {
      toast(chatStrings.model.notChanged(error instanceof Error ? error.message : String(error)), {
        isProblem: true,
      })
    }
    setChanging(false)
  }
  return (
    <ModelPicker
      value={session.model}
      machineId={agent.machineId}
      shown={agent.model ?? session.facts.model}
      isDisabled={isAtWork || isChanging}
      onChoose={(model) => void choose(model)}
    />
  )
}
