import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { roomApi } from '../../room-api.ts'
import { strings } from '../../strings/page.ts'
import { sessionStrings } from '../../strings/session.ts'
import { workspaceStrings as words } from '../../strings/workspace.ts'
import { Signal } from '../../ui/signal.tsx'
import { ago } from '../../ui/time.ts'
import { ExecutionSignal } from '../session/execution-signal.tsx'

/** The sessions that work in it, newest first. */
export function WorkspaceSessions({ workspaceId }: { workspaceId: string }) {
  const { data, error } = useQuery({
    queryKey: ['sessions', 'in', workspaceId],
    queryFn: ({ signal }) => roomApi.sessions({ workspaceId, pageSize: 50 }, signal),
    refetchInterval: 5_000,
  })
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => api.agents(signal) })
  if (!data)
    return <output className="block py-1.5 text-small text-mute">{error?.message ?? strings.loading}</output>
  return (
    <ul aria-label={words.sessionsIn} className="py-1">
      {data.data.map(({ id, title, status, agentId, waitingApprovals, createdAt }) => (
        <li key={id} data-session={id} className="flex min-h-8 items-center gap-3 text-small max-sm:min-h-10">
          <span className="w-29 shrink-0">
            {status === null ? (
              <Signal aspect="off" word={sessionStrings.notStarted} />
            ) : (
              <ExecutionSignal execution={{ status, waitingApprovals, unreachableSince: null }} />
            )}
          </span>
          <Link to="/sessions/$id" params={{ id }} className="min-w-0 grow truncate hover:underline">
            <bdi>{title}</bdi>
          </Link>
          <bdi className="truncate text-soft max-sm:hidden">
            {agents.data?.find((agent) => agent.id === agentId)?.name}
          </bdi>
          <span className="shrink-0 text-mute">{ago(createdAt)}</span>
        </li>
      ))}
    </ul>
  )
}
