import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Approval } from '../../../src/contract/approval.ts'
import { roomApi } from '../../room-api.ts'
import { approvalStrings } from '../../strings/approval.ts'
import { inboxStrings } from '../../strings/inbox.ts'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'
import { dateAndTime } from '../../ui/time.ts'
import { useNow } from '../board/use-now.ts'
import { answeredKey } from './waiting-cache.ts'
import { visibleText } from './visible-text.ts'
import { whoAnswered } from './who-answered.ts'

const aspects: Record<Exclude<Approval['status'], 'waiting'>, Aspect> = {
  granted: 'done',
  refused: 'off',
  expired: 'idle',
}
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'short' })
const shown = 50

/** What was answered since midnight, newest first. What rules answer is many and of no news: it is counted. */
export function AnsweredToday() {
  const now = useNow()
  const { data = [] } = useQuery({
    queryKey: answeredKey,
    queryFn: ({ signal }) => roomApi.approvals({ pageSize: 200 }, signal),
  })
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  const today = data
    .filter(({ answeredAt }) => answeredAt !== null && Date.parse(answeredAt) >= midnight)
    .toSorted((one, other) => (other.answeredAt ?? '').localeCompare(one.answeredAt ?? ''))
  const byPeople = today.filter(({ answeredBy }) => answeredBy !== 'policy')
  const byRules = today.length - byPeople.length
  if (today.length === 0) return null
  return (
    <section aria-label={inboxStrings.today} className="max-w-220 pt-8">
      <h2 className="flex items-baseline gap-2 font-semibold">
        {inboxStrings.today}
        {byRules > 0 && (
          <span className="text-small font-normal text-mute">{inboxStrings.byRules(byRules)}</span>
        )}
      </h2>
      <ul className="mt-2 border-t border-line">
        {byPeople.slice(0, shown).map((approval) => (
          <Line key={approval.id} approval={approval} />
        ))}
      </ul>
    </section>
  )
}

function Line({ approval }: { approval: Approval }) {
  const { id, status, title, agentName, answeredAt, reason, sessionId, executionId } = approval
  if (status === 'waiting' || answeredAt === null) return null
  const what = <bdi className="min-w-0 truncate">{visibleText(title)}</bdi>
  return (
    <li
      data-answered={id}
      className="flex items-baseline gap-x-3 gap-y-0.5 border-b border-line py-2 max-sm:flex-wrap"
    >
      <span className="shrink-0 text-small text-soft">
        <Signal
          aspect={aspects[status]}
          word={[approvalStrings.answered[status], whoAnswered(approval)].filter(Boolean).join(' ')}
        />
      </span>
      {sessionId && executionId ? (
        <Link
          to="/sessions/$id"
          params={{ id: sessionId }}
          search={{ execution: executionId }}
          className="flex min-w-0 grow hover:underline max-sm:w-full"
        >
          {what}
        </Link>
      ) : (
        <span className="flex min-w-0 grow">{what}</span>
      )}
      {reason && <bdi className="min-w-0 shrink truncate text-small text-soft">{visibleText(reason)}</bdi>}
      <bdi className="shrink-0 text-small text-mute">{agentName}</bdi>
      <time
        dateTime={answeredAt}
        title={dateAndTime(answeredAt)}
        className="shrink-0 text-small text-mute tabular-nums"
      >
        {clock.format(new Date(answeredAt))}
      </time>
    </li>
  )
}
