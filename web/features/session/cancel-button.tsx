import { useState } from 'react'
import { Refusal } from '../../api.ts'
import { roomApi } from '../../room-api.ts'
import { executionStrings } from '../../strings/execution.ts'
import { announce } from '../../ui/announce.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { isLive } from './execution-list.ts'
import { takeExecution } from './executions-cache.ts'
import type { KnownExecution } from './execution-list.ts'

/** Asks once for its end. What became of it is told by its signal, wherever that is shown. */
export function CancelButton({ execution: { id, status } }: { execution: KnownExecution }) {
  const [isAsking, setAsking] = useState(false)
  if (!isLive(status)) return null
  const isUnderWay = isAsking || status === 'cancelling'
  const cancel = async () => {
    setAsking(true)
    try {
      takeExecution(await roomApi.cancel(id))
      announce(executionStrings.cancelAsked)
    } catch (error) {
      const hadEnded = error instanceof Refusal && error.code === 'execution_ended'
      const reason = error instanceof Error ? error.message : String(error)
      if (!hadEnded) toast(executionStrings.notCancelled(reason), { isProblem: true })
    } finally {
      setAsking(false)
    }
  }
  return (
    <Button
      data-cancel
      aria-disabled={isUnderWay}
      className="min-w-24 aria-disabled:opacity-50"
      onClick={() => !isUnderWay && void cancel()}
    >
      {isUnderWay ? executionStrings.cancelling : executionStrings.cancel}
    </Button>
  )
}
