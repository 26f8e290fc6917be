import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { api, Refusal } from '../../api.ts'
import { roomApi } from '../../room-api.ts'
import { strings } from '../../strings/page.ts'
import { sessionStrings } from '../../strings/session.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useExecutions } from './executions.ts'
import { SessionRoom } from './session-room.tsx'
import { talks } from './talks.ts'
import { useTranscript } from './use-transcript.ts'

const route = getRouteApi('/sessions/$id')

/** One session: what is said in it or written, and beside that its changes, files, terminal and details. */
export default function SessionPage(): ReactNode {
  const { id } = route.useParams()
  const { execution: wanted, view, window } = route.useSearch()
  const filter = useMemo(() => ({ sessionId: id }), [id])
  const session = useQuery({
    queryKey: ['session', id],
    queryFn: ({ signal }) => roomApi.session(id, signal),
    // Who has it is not told to those who do not follow what is said in it.
    refetchInterval: view === 'terminal' && 3000,
  })
  const { data, error, refetch } = useExecutions(filter)
  const shown = data?.rows.find((each) => each.id === wanted) ?? data?.rows[0]
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => api.agents(signal) })
  const isTalk = talks(session.data, agents.data ?? (agents.error ? [] : undefined), data?.rows)
  // Begun before anybody knows whether there is one: as a rule there is, and it is what people wait for.
  const conversation = useTranscript(id, isTalk !== false)
  const agent = agents.data?.find((each) => each.id === session.data?.agentId)
  const problem = session.error ?? error
  return (
    <>
      <PageHead title={session.data?.title ?? (shown ? shown.agentName : sessionStrings.session)} />
      <Link
        to="/sessions"
        className="mx-5.5 -mt-1.5 mb-2 inline-flex items-center gap-1 self-start text-small text-mute hover:text-text max-sm:mx-4"
      >
        <ChevronLeft size={13} aria-hidden className="rtl:-scale-x-100" /> {sessionStrings.back}
      </Link>
      {!session.data && !problem && (
        <output className="animate-appear-late px-5.5 py-2 text-mute">{strings.loading}</output>
      )}
      {(!session.data || !data) && problem && (
        <Unread problem={problem} again={() => void Promise.all([session.refetch(), refetch()])} />
      )}
      {session.data && isTalk !== undefined && (data || !problem) && (
        <SessionRoom
          key={id}
          session={session.data}
          agent={agent}
          executions={data}
          shown={shown}
          filter={filter}
          isTalk={isTalk}
          conversation={conversation}
          view={view}
          window={window ?? 'agent'}
        />
      )}
    </>
  )
}

function Unread({ problem, again }: { problem: Error; again: () => void }) {
  const isGone = problem instanceof Refusal && problem.status >= 400 && problem.status < 500
  if (!isGone)
    return (
      <Empty title={sessionStrings.unread} text={problem.message}>
        <Button onClick={again}>{strings.retry}</Button>
      </Empty>
    )
  return (
    <Empty title={sessionStrings.gone} text={sessionStrings.goneText}>
      <Link to="/sessions" className="underline">
        {sessionStrings.back}
      </Link>
    </Empty>
  )
}
