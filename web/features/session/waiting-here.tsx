import { roomStrings } from '../../strings/room.ts'
import { ApprovalCard } from '../approval/approval-card.tsx'
import { useSettled } from '../approval/use-settled.ts'
import { useWaiting } from '../approval/waiting.ts'
import type { Conversation } from './use-transcript.ts'

const look =
  'flex max-h-[50dvh] shrink-0 flex-col gap-2 overflow-y-auto border-t border-line px-5.5 py-3 max-sm:px-4'

/** What an execution without a conversation waits for, where it would have written its log. */
export function WaitingHere({ executionId }: { executionId: string }) {
  const rows = useWaiting().data?.rows.filter((approval) => approval.executionId === executionId) ?? []
  const isSettled = useSettled(rows[0]?.id)
  if (rows.length === 0) return null
  return (
    <div className={look}>
      {rows.map((approval, index) => (
        <ApprovalCard key={approval.id} approval={approval} takesKeys={index === 0 && isSettled} />
      ))}
    </div>
  )
}

interface Props {
  sessionId: string
  conversation: Conversation
}

/** What was asked further up than has been read: it is not to be looked for. */
export function WaitingAbove({ sessionId, conversation: { transcript, earlier } }: Props) {
  const waiting = useWaiting().data?.rows.filter((approval) => approval.sessionId === sessionId) ?? []
  if (earlier === 'none' || waiting.length === 0) return null
  const shown = new Set(transcript.rows.flatMap((row) => (row.kind === 'approval' ? [row.asked.id] : [])))
  const above = waiting.filter(({ id }) => !shown.has(id))
  if (above.length === 0) return null
  return (
    <section data-waiting-above className={look}>
      <h3 className="text-small text-mute">{roomStrings.waitsAbove}</h3>
      {above.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} takesKeys={false} />
      ))}
    </section>
  )
}
