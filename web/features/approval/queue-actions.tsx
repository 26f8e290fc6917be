import { useState } from 'react'
import { approvalStrings } from '../../strings/approval.ts'
import { session } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { answer } from './answer.ts'
import type { Asked } from './approval-card.tsx'

/** Answers all calls of one step that wait, each by itself: what is asked meanwhile is not among them. */
export function QueueActions({ queue }: { queue: readonly Asked[] }) {
  const [isSending, setSending] = useState(false)
  const words = approvalStrings
  if (!session.get()?.principal.scopes.includes('approve')) return null
  const give = async (decision: 'granted' | 'refused') => {
    setSending(true)
    for (const asked of queue) await answer(asked, { decision })
    setSending(false)
  }
  return (
    <div data-queue-actions className="flex flex-wrap items-center gap-2">
      <span className="me-auto text-small text-soft">{words.queueWaits(queue.length)}</span>
      <Button disabled={isSending} onClick={() => void give('granted')}>
        {words.allowAll(queue.length)}
      </Button>
      <Button disabled={isSending} onClick={() => void give('refused')}>
        {words.refuseRest}
      </Button>
    </div>
  )
}
