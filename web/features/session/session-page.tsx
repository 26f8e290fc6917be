import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { api, Refusal } from '../../api.ts'
import { roomApi } from '../../room-api.ts'
import { sessionStrings } from '../../strings/session.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useMayUseTerminal } from '../terminal/may-use.ts'
import { SessionTerminal } from '../terminal/session-terminal.tsx'
import { ConversationView } from './conversation-view.tsx'
import { ExecutionView } from './execution-view.tsx'
import { useExecutions } from './executions.ts'
import { talks } from './talks.ts'
import { Turns } from './turns.tsx'
import { ViewSwitch } from './view-switch.tsx'
import type { View } from './view-switch.tsx'

const route = getRouteApi('/sessions/$id')

/** One session: what was asked of its agent, turn by turn, with the newest one open. */
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
  const isTalk = talks(session.data, agents.data ?? (agents.error ? [] : undefined), data?.rows ?? [])
  const newest = data?.rows[0]
  const agent = agents.data?.find((each) => each.id === session.data?.agentId)
  // Nothing stands in the log of a chat: no program writes there.
  const isChat = agent?.adapter === 'chat'
  const hasTerminal = useMayUseTerminal() && (!isChat || session.data?.workspaceId != null)
  const isTerminal = view === 'terminal' && hasTerminal
  const isLog = view === 'log' && !isChat
  const views = (current: View, executionId: string | undefined) => (
    <ViewSwitch
      sessionId={id}
      executionId={executionId}
      view={current}
      all={[
        ...(isTalk ? (['transcript'] as const) : []),
        ...(isChat || !shown ? [] : (['log'] as const)),
        ...(hasTerminal ? (['terminal'] as const) : []),
      ]}
    />
  )
  const problem = session.error ?? error
  const title = session.data?.title ?? (shown ? shown.agentName : sessionStrings.session)
  return (
    <>
      <PageHead title={title} />
      <Link
        to="/sessions"
        className="mx-5.5 -mt-1.5 mb-2 inline-flex items-center gap-1 self-start text-small text-mute hover:text-text max-sm:mx-4"
      >
        <ChevronLeft size={13} aria-hidden className="rtl:-scale-x-100" /> {sessionStrings.back}
      </Link>
      {!data && !problem && (
        <output className="animate-appear-late px-5.5 py-2 text-mute">{strings.loading}</output>
      )}
      {!shown && problem && <Unread problem={problem} again={() => void refetch()} />}
      {data && session.data && isTerminal && (
        <SessionTerminal
          key={id}
          session={session.data}
          agent={agent}
          execution={newest}
          window={window ?? 'agent'}
          views={isTalk !== undefined && views('terminal', newest?.id)}
        />
      )}
      {data && session.data && isTalk && !isLog && !isTerminal && (
        <ConversationView
          key={id}
          session={session.data}
          agentName={newest?.agentName ?? agent?.name ?? strings.task.assignee}
          agent={agent}
          chatAgent={isChat ? agent : undefined}
          execution={newest}
          views={views('transcript', newest?.id)}
        >
          {newest && !isChat && <Turns executions={data} shown="" filter={filter} view="log" />}
        </ConversationView>
      )}
      {data && !shown && !problem && isTalk === false && !isTerminal && (
        <Empty title={sessionStrings.nothingRan} text={sessionStrings.nothingRanText}>
          <Link to="/sessions" className="underline">
            {sessionStrings.back}
          </Link>
        </Empty>
      )}
      {data && shown && !isTerminal && (isTalk === false || (isTalk && isLog)) && (
        <ExecutionView key={shown.id} execution={shown} views={views('log', shown.id)}>
          <Turns executions={data} shown={shown.id} filter={filter} view={isLog ? view : undefined} />
        </ExecutionView>
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
