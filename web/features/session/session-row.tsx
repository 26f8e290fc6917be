import { Link } from '@tanstack/react-router'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Session } from '../../../src/contract/session.ts'
import { sessionStrings } from '../../strings/session.ts'
import { Signal } from '../../ui/signal.tsx'
import { age, dateAndTime } from '../../ui/time.ts'
import { ExecutionSignal } from './execution-signal.tsx'

export const columns =
  'grid grid-cols-[116px_minmax(0,1.6fr)_minmax(0,1fr)_48px_72px_64px] items-center gap-x-4 tabular-nums'

const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })

/** Less than a cent is not nothing. */
const costOf = ({ usage: { costUsd } }: Session): string =>
  costUsd === 0 ? '' : costUsd < 0.01 ? sessionStrings.underCent : dollars.format(costUsd)

interface Props {
  session: Session
  /** Undefined where it is gone, or not known yet. */
  agent: Agent | undefined
  now: number
}

/** One session in the list of all; the whole row leads to it. */
export function SessionRow({ session, agent, now }: Props) {
  const { id, title, executions, lastActivityAt } = session
  const model = session.model ?? session.facts.model ?? agent?.model
  return (
    <Link
      to="/sessions/$id"
      params={{ id }}
      data-session={id}
      className={`${columns} h-9 border-b border-line px-5.5 hover:bg-panel focus-visible:-outline-offset-2 max-sm:h-14 max-sm:grid-cols-[116px_minmax(0,1fr)_auto] max-sm:gap-x-3 max-sm:px-4`}
    >
      <span className="flex gap-1.5">
        <SessionSignal session={session} />
      </span>
      <bdi title={title} className="truncate font-medium max-sm:col-span-2">
        {title}
      </bdi>
      <span className="flex min-w-0 gap-1.5 max-sm:col-start-1 max-sm:col-end-3 max-sm:row-start-2 max-sm:text-small">
        <bdi className="shrink-0 truncate text-soft">{agent?.name}</bdi>
        <bdi className="truncate text-mute">{model}</bdi>
      </span>
      <span className="text-end text-soft max-sm:hidden">
        {executions}
        <span className="sr-only"> {sessionStrings.turnsWord(executions)}</span>
      </span>
      <span className="text-end text-soft max-sm:hidden">{costOf(session)}</span>
      <time
        dateTime={lastActivityAt}
        title={dateAndTime(lastActivityAt)}
        className="text-end text-mute max-sm:row-start-2 max-sm:text-small"
      >
        {age(lastActivityAt, now)}
      </time>
    </Link>
  )
}

function SessionSignal({ session: { status, waitingApprovals } }: { session: Session }) {
  if (status === null) return <Signal aspect="off" word={sessionStrings.notStarted} />
  return (
    <>
      <ExecutionSignal execution={{ status, waitingApprovals, unreachableSince: null }} />
      {waitingApprovals > 1 && <span className="text-mute">{waitingApprovals}</span>}
    </>
  )
}
