import { ApprovalCard } from '../approval/approval-card.tsx'
import { useSettled } from '../approval/use-settled.ts'
import { useWaiting } from '../approval/waiting.ts'

/** What an execution without a conversation waits for, where it would have written its log. */
export function WaitingHere({ executionId }: { executionId: string }) {
  const rows = useWaiting().data?.rows.filter((approval) => approval.executionId === executionId) ?? []
  const isSettled = useSettled(rows[0]?.id)
  if (rows.length === 0) return null
  return (
    <div className="flex max-h-[50dvh] shrink-0 flex-col gap-2 overflow-y-auto border-t border-line px-5.5 py-3 max-sm:px-4">
      {rows.map((approval, index) => (
        <ApprovalCard key={approval.id} approval={approval} takesKeys={index === 0 && isSettled} />
      ))}
    </div>
  )
}
