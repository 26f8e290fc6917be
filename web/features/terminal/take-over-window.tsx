import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Session } from '../../../src/contract/session.ts'
import { queryClient } from '../../query-client.ts'
import { roomApi } from '../../room-api.ts'
import { strings } from '../../strings/page.ts'
import { terminalStrings } from '../../strings/terminal.ts'
import { announce } from '../../ui/announce.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { isLive } from '../session/execution-list.ts'
import type { KnownExecution } from '../session/execution-list.ts'

const words = terminalStrings.takeOver

interface Props {
  session: Session
  agentName: string
  execution: KnownExecution | undefined
  onClose: () => void
}

/** Says what taking over ends, before it does. */
export function TakeOverWindow({ session: { id, waitingApprovals }, agentName, execution, onClose }: Props) {
  const navigate = useNavigate()
  const [isWorking, setWorking] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const isAtWork = execution !== undefined && isLive(execution.status)
  const waiting = execution?.waitingApprovals ?? waitingApprovals
  const takeOver = async () => {
    setWorking(true)
    setProblem(null)
    try {
      await roomApi.takeOver(id)
      await queryClient.refetchQueries({ queryKey: ['session', id] })
      announce(words.done)
      onClose()
      await navigate({ to: '/sessions/$id', params: { id }, search: { view: 'terminal' }, replace: true })
    } catch (error) {
      setProblem(words.failed(error instanceof Error ? error.message : String(error)))
      void queryClient.invalidateQueries({ queryKey: ['session', id] })
    } finally {
      setWorking(false)
    }
  }
  return (
    <Dialog title={words.heading(agentName)} onClose={() => !isWorking && onClose()}>
      <div className="flex flex-col gap-2 px-4 pb-4">
        <p className="text-soft">{words.what(agentName)}</p>
        {isAtWork && <p>{words.interrupts}</p>}
        {waiting > 0 && <p>{words.expires(waiting)}</p>}
        {problem && (
          <p role="alert" className="wrap-anywhere text-stop">
            {problem}
          </p>
        )}
        <div className="flex justify-end gap-2 pt-2">
          <Button disabled={isWorking} onClick={onClose}>
            {strings.cancel}
          </Button>
          <Button look="main" disabled={isWorking} onClick={() => void takeOver()}>
            {isWorking ? words.working : words.action}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
