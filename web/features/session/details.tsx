import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Usage } from '../../../src/contract/agent-event.ts'
import type { Session } from '../../../src/contract/session.ts'
import { chatStrings } from '../../strings/chat.ts'
import { session } from '../../session.ts'
import { executionStrings } from '../../strings/execution.ts'
import { bytes } from '../../ui/bytes.ts'
import { ago, dateAndTime } from '../../ui/time.ts'
import { useAgentName } from '../agent/agent-name.ts'
import { useNow } from '../board/use-now.ts'
import { UsageLine } from './end-of-turn.tsx'
import { TaskTitle } from './task-title.tsx'
import { Took } from './took.tsx'
import type { KnownExecution } from './execution-list.ts'

interface Props {
  execution: KnownExecution
  session?: Session
  /** What its newest turn has used so far. */
  used?: Usage | undefined
}

/** Everything that is known of an execution. Lines that do not apply are not there. */
export function Details({ execution, session: of, used }: Props) {
  const words = executionStrings
  const { agentName, capabilityKey, args, prompt, taskId, createdBy, createdAt, startedAt, endedAt } =
    execution
  const { workerId, pid, exitCode, signal, logBytes, logLines, id } = execution
  return (
    <dl className="px-4 py-2 max-lg:grid max-lg:grid-cols-2 max-lg:gap-x-6 max-lg:px-5.5 max-sm:grid-cols-1 max-sm:px-4">
      <Fact name={words.agent}>
        <bdi>{agentName}</bdi>
      </Fact>
      <Fact name={words.capability}>
        <bdi className="font-mono text-small">{capabilityKey}</bdi>
      </Fact>
      {prompt && (
        <Fact name={words.prompt}>
          <bdi className="line-clamp-6 whitespace-pre-wrap">{prompt}</bdi>
        </Fact>
      )}
      {Object.entries(args ?? {}).map(([name, value]) => (
        <Fact key={name} name={name}>
          <bdi className="line-clamp-6 font-mono text-small whitespace-pre-wrap">{shown(value)}</bdi>
        </Fact>
      ))}
      {taskId && (
        <Fact name={words.task}>
          <Link
            to="/board"
            search={{ task: taskId }}
            className="underline decoration-edge underline-offset-2"
          >
            <TaskTitle id={taskId} />
          </Link>
        </Fact>
      )}
      <Fact name={words.by}>
        <Who id={createdBy} />
      </Fact>
      <Moment name={words.created} at={createdAt} />
      {startedAt && <Moment name={words.started} at={startedAt} />}
      {endedAt && <Moment name={words.ended} at={endedAt} />}
      {startedAt && (
        <Fact name={words.took}>
          <Took execution={execution} />
        </Fact>
      )}
      {exitCode !== null && <Fact name={words.exitCode}>{exitCode}</Fact>}
      {signal && <Fact name={words.signal}>{signal}</Fact>}
      {pid !== null && <Fact name={words.pid}>{pid}</Fact>}
      {workerId && (
        <Fact name={words.worker}>
          <bdi className="wrap-anywhere">{workerId}</bdi>
        </Fact>
      )}
      {logBytes > 0 && <Fact name={words.output}>{words.outputSize(bytes(logBytes), logLines)}</Fact>}
      {of?.facts.model && (
        <Fact name={words.model}>
          <bdi className="wrap-anywhere">{of.facts.model}</bdi>
        </Fact>
      )}
      {of?.facts.mode && (
        <Fact name={words.mode}>
          <bdi className="wrap-anywhere">{of.facts.mode}</bdi>
        </Fact>
      )}
      {of && of.usage.inputTokens + of.usage.outputTokens > 0 && (
        <Fact name={words.usedInAll}>
          <UsageLine usage={of.usage} />
        </Fact>
      )}
      {used && <WindowUsed usage={used} />}
      <Fact name={words.id}>
        <span className="font-mono text-tiny wrap-anywhere text-soft select-all">{id}</span>
      </Fact>
    </dl>
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

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex gap-3 py-1">
      <dt className="w-20 shrink-0 wrap-anywhere text-mute">{name}</dt>
      <dd className="min-w-0 wrap-anywhere tabular-nums">{children}</dd>
    </div>
  )
}

function Moment({ name, at }: { name: string; at: string }) {
  const now = useNow()
  return (
    <Fact name={name}>
      <time dateTime={at} title={dateAndTime(at)}>
        {ago(at, now)}
      </time>
    </Fact>
  )
}

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function Who({ id }: { id: string }) {
  const me = session.get()?.principal
  const agentName = useAgentName()
  if (id === me?.id) return <bdi>{me.name}</bdi>
  return id === 'owner' ? executionStrings.owner : <bdi className="wrap-anywhere">{agentName(id) ?? id}</bdi>
}
