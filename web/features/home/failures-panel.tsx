import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Overview } from '../../../src/contract/overview.ts'
import { executionStrings } from '../../strings/execution.ts'
import { homePanelStrings } from '../../strings/home.ts'
import { Panel } from '../../ui/panel.tsx'
import { Signal } from '../../ui/signal.tsx'
import { age, dateAndTime } from '../../ui/time.ts'
import { useNow } from '../board/use-now.ts'

const shownAtOnce = 5

/** The last turns that failed and that nobody has gone on from. */
export function FailuresPanel() {
  const { data } = useQuery<Overview>({ queryKey: ['overview'], enabled: false })
  const now = useNow()
  const words = homePanelStrings
  const shown = data?.failures.slice(0, shownAtOnce) ?? []
  const more = (data?.failed ?? 0) - shown.length
  return (
    <Panel title={words.failures} hint={words.failuresHint}>
      {data && shown.length === 0 && <p className="px-3 py-2.5 text-mute">{words.nothingFailed}</p>}
      <ul className="divide-y divide-line">
        {shown.map(({ executionId, sessionId, title, agentName, status, error, endedAt }) => (
          <li key={executionId} data-failure={sessionId}>
            <Link
              to="/sessions/$id"
              params={{ id: sessionId }}
              search={{ execution: executionId }}
              className="flex flex-col px-3 py-2 hover:bg-raise focus-visible:-outline-offset-2"
            >
              <span className="flex items-center gap-2">
                <Signal aspect="stopped" word={executionStrings.status[status]} hidesWord />
                <bdi className="truncate font-medium">{title}</bdi>
                <time
                  dateTime={endedAt}
                  title={dateAndTime(endedAt)}
                  className="ms-auto shrink-0 text-small text-mute tabular-nums"
                >
                  {age(endedAt, now)}
                </time>
              </span>
              <span className="truncate ps-5 text-small text-soft">
                <bdi>{error ?? executionStrings.status[status]}</bdi>
                <span className="text-mute">
                  {' '}
                  · <bdi>{agentName}</bdi>
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Link to="/sessions" className="block border-t border-line px-3 py-2 text-small text-soft underline">
          {words.moreFailed(more)}
        </Link>
      )}
    </Panel>
  )
}
