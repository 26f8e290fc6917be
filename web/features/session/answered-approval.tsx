import { approvalStrings } from '../../strings/approval.ts'
import { session } from '../../session.ts'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'
import { visibleText } from '../approval/visible-text.ts'
import type { ApprovalRow } from './transcript-row.ts'

const aspects: Record<Exclude<ApprovalRow['status'], 'waiting'>, Aspect> = {
  granted: 'done',
  refused: 'off',
  expired: 'idle',
}

/** What was asked and how it was answered, in a line. */
export function AnsweredApproval({ row: { status, asked, by, reason } }: { row: ApprovalRow }) {
  if (status === 'waiting') return null
  const words = approvalStrings
  return (
    <p data-answered={status} className="flex flex-wrap items-baseline gap-x-2 text-small text-mute">
      <Signal
        aspect={aspects[status]}
        word={[words.answered[status], status === 'expired' ? '' : whoIs(by)].filter(Boolean).join(' ')}
      />
      <bdi className="min-w-0 wrap-anywhere">{visibleText(asked.title)}</bdi>
      {reason && <bdi className="min-w-0 wrap-anywhere text-soft">{visibleText(reason)}</bdi>}
    </p>
  )
}

function whoIs(by: string | null): string {
  const words = approvalStrings.by
  if (by === session.get()?.principal.id) return words.you
  if (by === 'policy' || by === 'owner' || by === 'agent') return words[by]
  return by ? words.other : ''
}
