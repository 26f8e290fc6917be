import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Approval } from '../../../src/contract/approval.ts'
import { roomApi } from '../../room-api.ts'
import { approvalStrings } from '../../strings/approval.ts'
import { inboxStrings } from '../../strings/inbox.ts'
import { ApprovalCard } from './approval-card.tsx'
import { QueueActions } from './queue-actions.tsx'

interface Props {
  approval: Approval
  isCurrent: boolean
  takesKeys: boolean
  /** What waits beside it, where it is the first of them. */
  queue: readonly Approval[] | undefined
}

/** One question in the inbox: who asks, in which session, and how dangerous it is. */
export function InboxItem({ approval, isCurrent, takesKeys, queue }: Props) {
  const { id, sessionId, executionId, agentName, danger, position, total } = approval
  return (
    <>
      {queue && (
        <li>
          <QueueActions queue={queue} />
        </li>
      )}
      <li
        data-approval={id}
        tabIndex={-1}
        aria-current={isCurrent || undefined}
        aria-label={approval.title}
        className="rounded-card outline-none aria-[current=true]:ring-2 aria-[current=true]:ring-queue aria-[current=true]:ring-offset-2 aria-[current=true]:ring-offset-ground"
      >
        <ApprovalCard approval={approval} takesKeys={takesKeys}>
          <bdi className="shrink-0 font-medium">{agentName}</bdi>
          {sessionId !== null && executionId !== null ? (
            <SessionLink sessionId={sessionId} executionId={executionId} />
          ) : (
            <span className="text-soft" title={approval.codeRunId ?? undefined}>
              {inboxStrings.ownCode(approval.codeRunId?.slice(-6) ?? '', position, total)}
            </span>
          )}
          <span
            data-danger={danger}
            className={`shrink-0 text-small ${danger >= 2 ? 'font-medium text-stop' : 'text-mute'}`}
          >
            {approvalStrings.danger[danger] ?? ''}
          </span>
        </ApprovalCard>
      </li>
    </>
  )
}

function SessionLink({ sessionId, executionId }: { sessionId: string; executionId: string }) {
  const title = useQuery({
    queryKey: ['session', sessionId],
    queryFn: ({ signal }) => roomApi.session(sessionId, signal),
  }).data?.title
  return (
    <Link
      to="/sessions/$id"
      params={{ id: sessionId }}
      search={{ execution: executionId }}
      className="max-w-full min-w-0 truncate text-soft underline decoration-edge underline-offset-2"
    >
      <bdi>{title ?? inboxStrings.session}</bdi>
    </Link>
  )
}
