import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Session } from '../../../src/contract/session.ts'
import { queryClient } from '../../query-client.ts'
import { roomApi } from '../../room-api.ts'
import { terminalStrings } from '../../strings/terminal.ts'
import { announce } from '../../ui/announce.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import type { KnownExecution } from '../session/execution-list.ts'
import { useMayUseTerminal } from './may-use.ts'
import { hasOwnInterface } from './own-interface.ts'
import { TakeOverWindow } from './take-over-window.tsx'

interface Props {
  session: Session
  agent: Agent | undefined
  execution: KnownExecution | undefined
  className?: string
}

/** The way into a session, in its agent's own interface, and the way out again. */
export function TakeOver({ session, agent, execution, className = '' }: Props) {
  const [isAsked, setAsked] = useState(false)
  const mayUse = useMayUseTerminal()
  if (!mayUse || (session.trashedAt && !isAsked)) return null
  if (session.takenOverAt) return <HandBack sessionId={session.id} className={className} />
  if (!agent || !hasOwnInterface(agent)) return null
  return (
    <>
      <Button data-take-over className={className} onClick={() => setAsked(true)}>
        {terminalStrings.takeOver.action}
      </Button>
      {isAsked && (
        <TakeOverWindow
          session={session}
          agentName={agent.name}
          execution={execution}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  )
}

export function HandBack({ sessionId, className = '' }: { sessionId: string; className?: string }) {
  const words = terminalStrings.handBack
  const navigate = useNavigate()
  const [isWorking, setWorking] = useState(false)
  const handBack = async () => {
    setWorking(true)
    try {
      const session = await roomApi.handBack(sessionId)
      queryClient.setQueryData(['session', sessionId], session)
      announce(words.done)
      await navigate({ to: '/sessions/$id', params: { id: sessionId }, replace: true })
    } catch (error) {
      toast(words.failed(error instanceof Error ? error.message : String(error)), { isProblem: true })
      void queryClient.invalidateQueries({ queryKey: ['session', sessionId] })
    } finally {
      setWorking(false)
    }
  }
  return (
    <Button
      data-hand-back
      look="main"
      aria-disabled={isWorking}
      className={`min-w-24 aria-disabled:opacity-50 ${className}`}
      onClick={() => !isWorking && void handBack()}
    >
      {isWorking ? words.working : words.action}
    </Button>
  )
}
