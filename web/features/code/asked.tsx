import { useQueries } from '@tanstack/react-query'
import type { CodeWaiting } from '../../../src/contract/execute.ts'
import { roomApi } from '../../room-api.ts'
import { codeStrings as words } from '../../strings/code.ts'
import { ApprovalCard } from '../approval/approval-card.tsx'

/** What the code asks, answered in place. */
export function Asked({ approvals }: Pick<CodeWaiting, 'approvals'>) {
  const read = useQueries({
    queries: approvals.map(({ id }) => ({
      queryKey: ['approval', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => roomApi.approval(id, signal),
    })),
  })
  const waiting = read.flatMap(({ data }) => (data?.status === 'waiting' ? [data] : []))
  return (
    <div className="flex flex-col gap-3">
      <p className="text-small text-soft">{words.waits}</p>
      {waiting.map((approval, index) => (
        <ApprovalCard key={approval.id} approval={approval} takesKeys={index === 0} />
      ))}
    </div>
  )
}
