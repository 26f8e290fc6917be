import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { api, Refusal } from '../../api.ts'
import { strings } from '../../strings.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../board/empty.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { ExecutionView } from './execution-view.tsx'
import { useExecutions } from './executions.ts'
import { Turns } from './turns.tsx'

const route = getRouteApi('/sessions/$id')

/** One session: what was asked of its agent, turn by turn, with the newest one open. */
export default function SessionPage(): ReactNode {
  const { id } = route.useParams()
  const wanted = route.useSearch().execution
  const filter = useMemo(() => ({ sessionId: id }), [id])
  const session = useQuery({ queryKey: ['session', id], queryFn: ({ signal }) => api.session(id, signal) })
  const { data, error, refetch } = useExecutions(filter)
  const shown = data?.rows.find((each) => each.id === wanted) ?? data?.rows[0]
  const problem = session.error ?? error
  const title = session.data?.title ?? (shown ? shown.agentName : strings.sessions.session)
  return (
    <>
      <PageHead title={title} />
      <Link
        to="/sessions"
        className="mx-5.5 -mt-1.5 mb-2 inline-flex items-center gap-1 self-start text-small text-mute hover:text-text max-sm:mx-4"
      >
        <ChevronLeft size={13} aria-hidden className="rtl:-scale-x-100" /> {strings.sessions.back}
      </Link>
      {!data && !problem && (
        <output className="animate-appear-late px-5.5 py-2 text-mute">{strings.loading}</output>
      )}
      {!shown && problem && <Unread problem={problem} again={() => void refetch()} />}
      {data && !shown && !problem && (
        <Empty title={strings.sessions.nothingRan} text={strings.sessions.nothingRanText}>
          <Link to="/sessions" className="underline">
            {strings.sessions.back}
          </Link>
        </Empty>
      )}
      {data && shown && (
        <ExecutionView key={shown.id} execution={shown}>
          <Turns executions={data} shown={shown.id} filter={filter} />
        </ExecutionView>
      )}
    </>
  )
}

function Unread({ problem, again }: { problem: Error; again: () => void }) {
  const isGone = problem instanceof Refusal && problem.status >= 400 && problem.status < 500
  if (!isGone)
    return (
      <Empty title={strings.sessions.unread} text={problem.message}>
        <Button onClick={again}>{strings.retry}</Button>
      </Empty>
    )
  return (
    <Empty title={strings.sessions.gone} text={strings.sessions.goneText}>
      <Link to="/sessions" className="underline">
        {strings.sessions.back}
      </Link>
    </Empty>
  )
}
