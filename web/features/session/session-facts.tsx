import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Usage } from '../../../src/contract/agent-event.ts'
import type { Session } from '../../../src/contract/session.ts'
import { roomApi } from '../../room-api.ts'
import { chatStrings } from '../../strings/chat.ts'
import { executionStrings } from '../../strings/execution.ts'
import { sessionStrings } from '../../strings/session.ts'
import { workspaceStrings } from '../../strings/workspace.ts'
import { UsageLine } from './end-of-turn.tsx'
import { Fact, Moment } from './facts.tsx'
import { useWorkspaceOf } from './use-workspace-of.ts'

interface Props {
  session: Session
  agent: Agent | undefined
  /** As it was called when it was last asked. */
  agentName: string | undefined
  /** What its newest turn has used so far. */
  used: Usage | undefined
}

/** What is known of a session as a whole. Lines that do not apply are not there. */
export function SessionFacts({ session, agent, agentName, used }: Props) {
  const words = sessionStrings.facts
  const { facts, usage, parentSessionId, adoptedAt } = session
  const model = session.model ?? facts.model ?? agent?.model
  return (
    <dl>
      <Fact name={executionStrings.agent}>
        <bdi>{agent?.name ?? agentName ?? words.agentGone}</bdi>
      </Fact>
      {model && (
        <Fact name={executionStrings.model}>
          <bdi className="wrap-anywhere">{model}</bdi>
        </Fact>
      )}
      {(session.mode ?? facts.mode) && (
        <Fact name={executionStrings.mode}>
          <bdi className="wrap-anywhere">{session.mode ?? facts.mode}</bdi>
        </Fact>
      )}
      <Place session={session} />
      {usage.inputTokens + usage.outputTokens > 0 && (
        <Fact name={executionStrings.usedInAll}>
          <UsageLine usage={usage} />
        </Fact>
      )}
      {used && <WindowUsed usage={used} />}
      <Moment name={words.begun} at={session.createdAt} />
      <Moment name={words.lastActivity} at={session.lastActivityAt} />
      {adoptedAt && <Moment name={words.adopted} at={adoptedAt} />}
      {parentSessionId && <Parent id={parentSessionId} />}
      <Fact name={executionStrings.id}>
        <span className="font-mono text-tiny wrap-anywhere text-soft select-all">{session.id}</span>
      </Fact>
    </dl>
  )
}

function Place({ session }: { session: Session }) {
  const words = sessionStrings.facts
  const { data: workspace, error } = useWorkspaceOf(session)
  if (session.workspaceId === null) return null
  return (
    <>
      <Fact name={words.workspace}>
        {workspace ? (
          <>
            <bdi>{workspace.name}</bdi>{' '}
            <span className="text-mute">
              {workspaceStrings.driver[workspace.driver]}, {workspaceStrings.state[workspace.state]}
            </span>
          </>
        ) : (
          error?.message
        )}
      </Fact>
      {workspace?.branch && (
        <Fact name={words.branch}>
          <bdi className="font-mono text-small select-all">{workspace.branch}</bdi>
        </Fact>
      )}
      {workspace?.root && (
        <Fact name={words.folder}>
          <bdi dir="ltr" className="font-mono text-tiny wrap-anywhere text-soft select-all">
            {workspace.root}
          </bdi>
        </Fact>
      )}
    </>
  )
}

function Parent({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ['session', id],
    queryFn: ({ signal }) => roomApi.session(id, signal),
  })
  return (
    <Fact name={sessionStrings.facts.forkOf}>
      <Link to="/sessions/$id" params={{ id }} className="underline decoration-edge underline-offset-2">
        <bdi>{data?.title ?? sessionStrings.session}</bdi>
      </Link>
    </Fact>
  )
}

const figure = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** How much of what the model can see at once is in use. */
function WindowUsed({ usage: { contextUsed, contextWindow } }: { usage: Usage }) {
  if (contextUsed === undefined || !contextWindow) return null
  const percent = Math.min(100, Math.round((contextUsed / contextWindow) * 100))
  return (
    <Fact name={chatStrings.window}>
      <span data-window={percent}>
        {chatStrings.windowUsed(figure.format(contextUsed), figure.format(contextWindow), percent)}
      </span>
      <progress
        value={percent}
        max={100}
        aria-label={chatStrings.window}
        className="window-used mt-1 block h-1 w-full"
      />
    </Fact>
  )
}
