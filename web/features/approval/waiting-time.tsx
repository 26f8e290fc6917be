import { approvalStrings } from '../../strings/approval.ts'
import { dateAndTime, duration } from '../../ui/time.ts'
import { useNow } from '../board/use-now.ts'
import type { Asked } from './approval-card.tsx'

const clock = new Intl.DateTimeFormat('en', { timeStyle: 'short' })

/** How long it waits already, and until when. */
export function WaitingTime({ approval: { askedAt, expiresAt } }: { approval: Asked }) {
  const now = useNow(1000)
  const isFar = new Date(expiresAt).toDateString() !== new Date(now).toDateString()
  const until = isFar ? dateAndTime(expiresAt) : clock.format(new Date(expiresAt))
  return (
    <span className="ms-auto text-small whitespace-nowrap text-mute tabular-nums">
      <time dateTime={askedAt} title={dateAndTime(askedAt)}>
        {approvalStrings.waitsFor(duration(askedAt, null, now))}
      </time>
      {', '}
      <time dateTime={expiresAt} title={dateAndTime(expiresAt)}>
        {approvalStrings.until(until)}
      </time>
    </span>
  )
}
